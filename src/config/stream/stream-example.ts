// What `stream --example` prints: every option of `stream`, explained. Valid as soon as its variables are set. Text only.

export const STREAM_EXAMPLE = `# A config for: stream --config FILE
# YAML or JSON. An option that begins with # shows its default, or is optional and shows an example.
#
# Secrets (api_key, client_key, password, token) never stand here: write \${NAME} for a variable of the
# environment, or { file: /path } for the content of a file (its last line break does not count).
# Any other single value may be \${NAME} too. A path that is not absolute begins at this file.

# Where to write, and as whom. https, unless the host is this machine.
import_url: https://import.example.com
client_id: 7
api_key: \${ANALYTICS_API_KEY}
# use_sandbox: false            # send everything to the sandbox, which stores nothing
# sandbox_import_url: https://sandbox.import.example.com   # required when the sandbox is used
# allow_insecure_http: false    # accept http: beyond this machine; key and data then travel in the clear
# ca_certificate: { file: /etc/ssl/private-authority.pem } # PEM, trusted beside the usual authorities
# client_certificate: { file: /etc/ssl/client.pem }        # PEM, shown to the service
# client_key: { file: /etc/ssl/client.key }                # its key, a secret

# Put in front of every table's name, unless its entry below gives the whole name.
# table_prefix: ""

# The cluster to read from.
kafka:
  brokers: [kafka-1.example.com:9092, kafka-2.example.com:9092]  # or one text: "a:9092,b:9092"
  group: warehouse              # members of one group share the partitions
  # client_id: destination-analytics-service
  # session_timeout_seconds: 30 # a member not heard of for so long loses its partitions
  # rebalance_timeout_seconds: 60 # time to finish what is under way when partitions move
  # heartbeat_seconds: 3        # at most a third of the session timeout
  # broker_deadline_seconds: 900 # with no broker within reach for so long the process ends
  # topic_refresh_seconds: 60   # how often new topics of a pattern are looked for
  tls: true                     # false: not encrypted; or certificates, PEM:
  # tls:
  #   ca_certificate: { file: /etc/ssl/kafka-authority.pem }
  #   client_certificate: { file: /etc/ssl/kafka-client.pem }
  #   client_key: { file: /etc/ssl/kafka-client.key }        # a secret
  sasl:                         # left out: no login
    mechanism: scram-sha-512    # plain, scram-sha-256, scram-sha-512 or oauthbearer
    username: warehouse
    password: \${KAFKA_PASSWORD}
    # token: \${KAFKA_TOKEN}     # for oauthbearer, in place of both
  # allow_insecure_login: false # log in by plain or oauthbearer without TLS, beyond this machine: the secret travels in the clear

# Where the schemas are of topics with value_encoding or key_encoding: registry (Confluent's interface).
# schema_registry:
#   url: https://registry.example.com  # with the path it stands under
#   username: warehouse         # or token in place of both; left out: no login
#   password: \${REGISTRY_PASSWORD}
#   # token: \${REGISTRY_TOKEN}
#   # allow_insecure_http: false  # accept http: beyond this machine with a login, which then travels in the clear
#   # ca_certificate: { file: /etc/ssl/private-authority.pem } # PEM, trusted beside the usual authorities
#   # client_certificate: { file: /etc/ssl/client.pem }
#   # client_key: { file: /etc/ssl/client.key }                # a secret

# What to read. A topic's entry is the one that names it, else the first whose pattern matches.
topics:
  - topic: orders
    format: json                # json (the default): an object; airbyte: an Airbyte message; debezium: a change
    # stream: orders            # of airbyte: records of other streams are rejected; left out: those of all are rows
    # namespace: shop           # of airbyte: that of stream; left out: any
    # value_encoding: text      # text: JSON; registry: Avro, Protobuf or JSON by a schema of the registry
    # key_encoding: text        # the same for the record key
    keys: [id]                  # what tells rows apart. One of these, which debezium alone may do without:
    # keys: { value: [id, /customer/id] }  # fields of the value; a nested one by its path, sent as customer_id
    # keys: { key: true }       # the record key, a JSON object: its fields (the default of debezium)
    # keys: { key: id }         # the record key, a plain value: sent as the field id
    # keys: { offset: true, epoch: 0 }  # every record a row; raise the epoch when the topic is created anew
    # table: shop_orders        # the whole name; default: table_prefix and the topic's name, _ for . and -
    # shared_table: false       # true: other topics that say so too may write to this table
    # null_keys: stop           # a record without a key: stop, offset (a row of its own) or dead-letter
    # tombstones: ignore        # no value: ignore, dead-letter, fail or, with the record key as keys, mark:
    #                           # the row becomes its key and __deleted: true. debezium: always ignore
    # start: earliest           # without a committed offset: earliest, latest, a time with its zone such as
    #                           # 2026-01-31T00:00:00Z, or milliseconds since 1970
    # out_of_range: stop        # when the offset to go on at is gone: stop, earliest or latest
    # keep_last: true           # of versions of a row that wait together only the last is sent
  - pattern: shop\\..*           # a regular expression for whole names, at most 256 characters long
    format: debezium
    # unavailable: fail         # a value Debezium could not see: fail, dead-letter or null
    # truncate: stop            # the table was emptied: stop, or ignore

# Where records go that cannot be stored, one of the two. Left out: the process ends at the first one.
dead_letters: { topic: warehouse.dead-letters }  # exists already, is not compacted
# dead_letters: { file: /data/dead-letters.jsonl }
# log_keys: false               # whether messages about such a record may show its key

# Where /healthz, /readyz and /metrics answer. Left out: nowhere.
health:
  port: 8080
  # host: 0.0.0.0               # 0.0.0.0: probes reach it from outside; 127.0.0.1: this machine alone

# commit_every_seconds: 1       # offsets of what is settled are committed so often, sooner after 1,000 records
# stall_deadline_seconds: 900   # with records there and none of them settled for so long the process ends

# Limits.
# max_points: 100               # data points a request, 100 at most
# max_request_bytes: 4194304
# max_wait_ms: 1000             # a record waits at most so long for others to share its request
# buffer_bytes: 33554432        # records held in memory; while it is full, nothing more is read
# request_timeout_seconds: 20   # with two heartbeats no longer than the session timeout
# retry_for_seconds: 900        # a request that fails for a passing reason is repeated for so long
# concurrency: 16               # requests at once; left out: found out as it goes
# max_requests_per_second: 50   # left out: no such limit
# late_write_guard_seconds: 60  # after a request of unknown fate newer values of its keys wait so long
`
