// What `--help` says.

export const USAGE = `destination-analytics-service: records in, upserted tables out

  spec                                     print the connector specification
  check --config FILE                      is everything there that a write needs
  write --config FILE --catalog FILE       Airbyte messages on standard input → tables; STATE lines come back
  plan --catalog FILE [--config FILE] [--json]
                                           what a catalog would become, before any data moves
  serve [--port N] [--host H] [--client ID:KEY]… [--max-body BYTES] [--rate-limit N] [--compat]
                                           the local Analytics Service, to try things on
  demo                                     a whole sync against a local service, in a few seconds

  --help, --version

Exit codes: 0 done · 1 failed (write: one TRACE ERROR on standard output says why; plan: a write would be refused) · 2 wrong usage ·
130 interrupted, 143 terminated (what was settled is committed; run again to go on from the last state)
`
