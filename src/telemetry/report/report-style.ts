// How a run report looks. Data only: light and dark as the reader's system is, narrow screens, paper.

export const REPORT_STYLE = `
:root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--text:#1b2330;--soft:#566173;--line:#d9dee6;--grid:#e6eaf0;--band:#f3d9a4;
--c0:#1d5fd1;--c1:#b4460b;--c2:#157347;--c3:#8a2fc7;--good:#157347;--bad:#b42318;--busy:#8a5a00}
@media(prefers-color-scheme:dark){:root{--page:#11151c;--card:#1a202a;--text:#e6eaf1;--soft:#a1acbd;--line:#323b49;--grid:#2a3240;--band:#5c4a1f;
--c0:#6aa5ff;--c1:#ff9d5c;--c2:#52cf8b;--c3:#cb95ff;--good:#52cf8b;--bad:#ff8a80;--busy:#f0c05a}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:15px/1.5 system-ui,sans-serif}
main{max-width:1240px;margin:0 auto;padding:20px 16px 40px}
h1{font-size:1.5rem;line-height:1.25;margin:0 12px 0 0}
h2{font-size:1.15rem;margin:36px 0 10px}
h3{font-size:.95rem;margin:0}
p{margin:6px 0;max-width:80ch}
.top{display:flex;flex-wrap:wrap;align-items:center;gap:6px}
.end{font-weight:600;border:2px solid;border-radius:99px;padding:1px 14px}
.good{color:var(--good)}.bad{color:var(--bad)}.busy{color:var(--busy)}
.why{color:var(--text);border-left:4px solid var(--bad);background:var(--card);padding:10px 14px;margin:14px 0;overflow-wrap:anywhere;max-width:none}
.why.busy{border-color:var(--busy)}
.soft,.note{color:var(--soft)}.note{font-size:.87rem}
dl{margin:0}dd{margin:0}
.facts{display:flex;flex-wrap:wrap;gap:4px 28px;margin:10px 0}
.facts div{overflow-wrap:anywhere}
.facts dt,.tiles dt{color:var(--soft);font-size:.8rem}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(max(140px,22%),1fr));gap:10px;margin:18px 0}
.tiles div,figure,.wide{background:var(--card);border:1px solid var(--line);border-radius:8px}
.tiles div{padding:9px 12px}
.tiles dd{font-size:1.2rem;font-weight:600;font-variant-numeric:tabular-nums}
.tiles .more{font-size:.8rem;font-weight:400;color:var(--soft)}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,320px),1fr));gap:14px}
figure{display:flex;flex-direction:column;margin:0;padding:12px 12px 8px;break-inside:avoid;min-width:0}
svg{display:block;width:100%;height:auto;margin-top:auto;padding-top:6px}
svg text{font:130px system-ui,sans-serif;fill:var(--soft)}
.grid{stroke:var(--grid);stroke-width:1;fill:none;vector-effect:non-scaling-stroke}
.l{fill:none;stroke-width:1.4;vector-effect:non-scaling-stroke;stroke-linejoin:round}
.a{stroke:none;opacity:.16}
.k0{stroke:var(--c0)}.k1{stroke:var(--c1)}.k2{stroke:var(--c2)}.k3{stroke:var(--c3)}
.f0{fill:var(--c0)}.f1{fill:var(--c1)}.f2{fill:var(--c2)}.f3{fill:var(--c3)}
.band{fill:var(--band);opacity:.6}
.key{display:flex;flex-wrap:wrap;gap:0 14px;font-size:.83rem;color:var(--soft);margin:2px 0 0;padding:0;list-style:none}
.key svg{display:inline-block;width:20px;height:8px;margin:0 5px 0 0;padding:0;vertical-align:middle}
.wide{overflow-x:auto;margin:10px 0;width:fit-content;max-width:100%;min-width:min(100%,34rem)}
.wide:focus-visible{outline:2px solid var(--c0)}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
caption{text-align:left;padding:8px 12px;color:var(--soft);font-size:.87rem}
th,td{padding:5px 12px;text-align:right;white-space:nowrap;border-top:1px solid var(--line);vertical-align:top}
thead th{font-size:.83rem;color:var(--soft);border-top:0}
.t{text-align:left;white-space:normal;overflow-wrap:anywhere;min-width:10em;max-width:34em}
tbody th{font-weight:400}tfoot th,tfoot td{font-weight:600}
summary{cursor:pointer;margin-top:14px}
footer{margin-top:36px}
@media print{:root{--page:#fff;--card:#fff;--text:#000;--soft:#444;--line:#bbb;--grid:#ddd;--band:#f3d9a4;--c0:#1d5fd1;--c1:#b4460b;--c2:#157347;
--c3:#8a2fc7;--good:#157347;--bad:#b42318;--busy:#8a5a00}body{font-size:11px}main{padding:0;max-width:none}.charts{grid-template-columns:1fr 1fr}
.wide{overflow:visible}tr{break-inside:avoid}svg,.band{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
`
