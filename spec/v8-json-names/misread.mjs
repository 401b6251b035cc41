// JSON.parse gives a member of one object the name that a member of an earlier object had, and may lose its value.

console.log(`Node ${process.versions.node}, V8 ${process.versions.v8}`)
JSON.parse(String.raw`{"id":1,"ab\\":1,"c":1}`)
for (const text of [String.raw`{"id":1,"ab\n":2,"c":3}`, String.raw`{"id":1,"ab\n":2,"ab\\":3}`]) {
  console.log(`${text} is read as ${JSON.stringify(JSON.parse(text))}`)
}
