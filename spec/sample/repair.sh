#!/bin/sh
# Rejected records are kept in a file, repaired, and sent again: docs/tables-and-rows.md#in-a-file.
set -eu
write() {
  ${ANALYTICS:-node src/start.js} write --config spec/sample/divert.json --catalog spec/sample/catalog.json
}

# one of its two records has no key: it goes into rejected.jsonl, with its reason
write < spec/sample/broken.jsonl

# Away from where the next run appends. Nobody but you knows what is right; here, the number 4.
mv rejected.jsonl to-repair.jsonl
sed 's/"id":null/"id":4/' to-repair.jsonl > repaired.jsonl
write < repaired.jsonl
