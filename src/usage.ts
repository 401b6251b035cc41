// What `--help` says.

export const USAGE = `destination-analytics-service: records in, upserted tables out

  spec                                     print the connector specification
  check --config FILE                      is everything there that a write needs
  write --config FILE --catalog FILE       Airbyte messages on standard input → tables; STATE lines come back
  plan --catalog FILE [--config FILE] [--json]
                                           what a catalog would become, before any data moves
  onboard --config FILE [--journal FILE] [--output FILE] [--json] [--dry-run]
          [--client-id N] [--user-id N] [--connection-id N] [--job-id N] [--dashboard-id ID] [--not-created ENDPOINT]…
                                           a client, a user, a connection and dashboards, each once; the second line
                                           answers what a run asks (exit code 3); --dry-run shows the requests
  onboard --example                        print a commented config for onboard
  serve [--port N] [--host H] [--client ID:KEY]… [--data FILE] [--load [TABLE=]FILE]…
        [--latency MS|MS-MS] [--error-rate SHARE] [--seed N] [--max-body BYTES] [--rate-limit N] [--compat]
        [--user NAME:PASSWORD]… [--oauth ID:SECRET]… [--token-seconds N] [--job-seconds N]
                                           the local Analytics Service, to try things on; rows live in memory, or in the
                                           SQLite file of --data
  demo                                     a whole sync against a local service, in a few seconds

  --help, --version

A record that cannot be stored ends a write, unless its config says on_rejected: divert; then it is kept, in a table or in
rejected_file, and write --config FILE --catalog FILE < REJECTED_FILE stores what has been repaired in it.

Exit codes: 0 done · 1 failed (write: one TRACE ERROR on standard output says why; plan: a write would be refused) · 2 wrong usage ·
3 onboard asks: whether something was created is not known, and standard error says how to answer ·
130 interrupted, 143 terminated (what was settled is committed; run again to go on from the last state)
`
