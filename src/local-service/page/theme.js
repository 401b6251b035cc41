// Before anything is painted: the theme that was chosen here, if one was. A classic script, so that it runs in time.

{
  const chosen = localStorage.getItem('theme')
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
}
