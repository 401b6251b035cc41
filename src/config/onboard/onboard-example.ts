// What `onboard --example` prints: every option of `onboard`, explained. Valid as soon as its variables are set. Text only.

export const ONBOARD_EXAMPLE = `# A config for: onboard --config FILE
# Names below properties, connection and client_rights are those of the service document. An option
# that begins with # shows its default.
#
# Secrets never stand here: write \${NAME} for a variable of the environment, or { file: /path } for
# the content of a file (its last line break does not count; a path that is not absolute begins at
# this file). Any other option may be \${NAME} too.

# The onboarding address and the dashboard address. https, unless the host is this machine.
base_url: https://onboarding.example.com
dashboard_url: https://dashboard.example.com
# allow_insecure_http: false    # accept http: beyond this machine; secrets then travel in the clear

# An existing user who may create clients, and what the operator of the service issued for it.
login:
  username: operator@example.com
  password: \${ONBOARD_PASSWORD}
  client_id: 1                  # a whole number, sent as clientId
  client_secret: \${ONBOARD_CLIENT_SECRET}

# The client to be created. Ask the operator of the service which tiers and roles there are.
client:
  tier: standard
  company: Example Shop
  # name: Example Shop          # what the client is called later; default: company
  first_name: Ada
  last_name: Example
  email: ada@example.com
  role: owner
  shop:
    customer_id: "1001"
    subscription_id: "2002"

# The user to be created on the client. What is left out is as in client.
user:
  email: admin@example.com
  first_name: Alan
  last_name: Example
  rights:                       # 0 or 1 each
    admin: 1
    billing: 0
    readonly: 0
    technical: 0

# Properties of the client.
properties:
  default_currency: EUR         # a currency code
  timezone: Europe/Berlin       # a name from the IANA time zone database
  week_start_day: "1"           # the number of a day
  shop_version: "2.4"
  stale_email_summary_action: none
  website_url: https://shop.example.com
  # phone_number: null
  # blackout_hours: ""
  # forced_update_hours: ""
  # has_guest_checkout: "0"     # "0" or "1"
  # perform_updates: "1"        # "0" or "1"
  # has_privacy_protection: null
  # hosted_warehouse: null
  # is_implemented: false
  # shop_store_db_name: shop    # default: connection.properties.dbName
  # shop_store_table_prefix: "" # default: dashboards.table_prefix

# The connection to the client's store database, found again by its name after a crash.
connection:
  # type: mysql                 # there is no other
  name: store
  # display_name: store         # default: name
  credentials:
    password: \${STORE_DB_PASSWORD}
    # encryption_password: null # a secret too
  properties:
    dbName: shop
    host: db.example.com
    # port: "3306"
    username: analytics
    # sourceTZ: null
    # desiredTZ: null
    # useSSL: "false"           # "true" or "false"
    # status: "1"
    # noPhpPasswordEncryption: "1"
    # encryption_type: none     # none: no tunnel; the members below belong to one
    # encryption_username: null
    # encryption_gatewayAddress: null
    # encryption_groupName: null
    # encryption_groupSecret: null  # a secret too
    # encryption_sshHostAddress: null
    # encryption_sshPort: null
    # encryption_sshUsername: null

# connection_test:
#   poll_number: 27             # at the end of the address that is asked for the test: its job type
#   referer: "{dashboard_url}/v2/client/{client_id}/settings/connections/{connection_id}"

# The dashboards. Ask the operator of the service which packages (templates) there are.
dashboards:
  package: standard
  # database: shop              # default: connection.properties.dbName
  # table_prefix: ""
  # user_id: 5                  # whose they are; default: the user created above, else the one of login

# How patient to be.
# request_timeout_seconds: 60   # a single request
# retry_for_seconds: 120        # a request that fails for a passing reason is repeated for so long; so is
                                # the question for a job, counted anew after each answer
# polling:
#   first_seconds: 2            # from one question to the next; half as long again each time
#   max_seconds: 30
# timeouts:
#   client_seconds: 1800
#   connection_seconds: 3600
#   test_seconds: 3600
#   dashboards_seconds: 3600
#   total_seconds: 14400        # nothing more is made after it; a request under way that makes something
                                # has its whole request_timeout_seconds all the same

# Certificates, PEM, as text or as { file: /path }.
# ca_certificate: { file: /etc/ssl/private-authority.pem }   # trusted beside the usual authorities
# client_certificate: { file: /etc/ssl/client.pem }          # shown to the service
# client_key: { file: /etc/ssl/client.key }                  # a secret: never as text
`
