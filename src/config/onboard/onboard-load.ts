// Reads a config file of `onboard`, checks the rules between options, and makes the config that `onboard` works with. Never quotes a value.
// `properties` keep the names that the service has for them, as they are sent; all other names become camelCase.

import { readAddress, urlOf } from '../address.ts'
import { configOf, picked } from '../config-of.ts'
import { readConfig, type ConfigKind, type Reading } from '../load.ts'
import type { ConfigEnvironment } from '../references.ts'
import { isObject } from '../../json/is-object.ts'
import { checkTls } from '../tls.ts'
import { onboardOptions, type OnboardOptions } from './onboard-options.ts'

/** Addresses are http(s)://host[:port][/prefix], without a slash at the end. Times are in milliseconds. Certificates are PEM; a client
 *  certificate is given if and only if its key is, and they are a pair. */
export type OnboardConfig = ReturnType<typeof onboardConfigOf>
export type ApiLogin = OnboardConfig['login']
export type NewClient = OnboardConfig['client']
export type NewUser = OnboardConfig['user']
export type ClientUpdate = OnboardConfig['update']
export type NewConnection = OnboardConfig['connection']
/** `referer` is a header, in which {dashboard_url}, {client_id} and {connection_id} are filled in. `pollNumber` ends the path of polls. */
export type ConnectionTest = OnboardConfig['test']
/** `userId` is the owner of the dashboards where the answer about the new user has no id. `undefined` when it is the user of the login. */
export type NewDashboards = OnboardConfig['dashboards']

/** Reads a config of `onboard`, or finds all that is wrong with it. Never throws. */
export function readOnboardConfig(text: string, environment: ConfigEnvironment): Promise<Reading<OnboardConfig>> {
  return readConfig(text, KIND, environment)
}

/** The secret that is sent to both addresses, the option that it belongs in, and the option that allows http: for it. */
const PASSWORD = { secret: 'the password', option: 'login', allow: 'allow_insecure_http' }

const KIND: ConfigKind<typeof onboardOptions, OnboardConfig> = {
  schema: onboardOptions,
  check(options, given, findings) {
    if (isObject(given) && Object.hasOwn(given, 'import_url'))
      findings.add(
        [],
        'looks like a config of write or stream, for it has `import_url`: onboard needs one of its own, with `base_url`, which onboard --example prints',
      )
    // of an address that is missing, an earlier problem tells already: only the first of a path is kept
    for (const option of ['base_url', 'dashboard_url'] as const) {
      const address = readAddress(options[option] ?? '', options.allow_insecure_http === true, PASSWORD)
      if ('problem' in address) findings.add([option], address.problem)
    }
    checkTls(options, [], findings)
    return () => onboardConfigOf(options as OnboardOptions)
  },
}

/** Fills in what depends on other options: names, addresses and the database that are as elsewhere unless given. */
function onboardConfigOf(options: OnboardOptions) {
  const { client, user, properties, connection, dashboards } = options
  const { dbName } = connection.properties
  const { name = client.company, ...newClient } = client
  const timing = { request_timeout_seconds: true, retry_for_seconds: true, polling: true, timeouts: true } as const
  const tls = { ca_certificate: true, client_certificate: true, client_key: true } as const
  return {
    baseUrl: urlOf(options.base_url),
    dashboardUrl: urlOf(options.dashboard_url),
    login: configOf(options.login),
    client: configOf(newClient),
    user: configOf({
      email: user.email ?? client.email,
      first_name: user.first_name ?? client.first_name,
      last_name: user.last_name ?? client.last_name,
      rights: user.rights,
    }),
    update: {
      name,
      properties: {
        ...properties,
        shop_store_db_name: properties.shop_store_db_name ?? dbName,
        shop_store_table_prefix: properties.shop_store_table_prefix ?? dashboards.table_prefix,
      },
    },
    connection: {
      name: connection.name,
      displayName: connection.display_name ?? connection.name,
      ...configOf(connection.credentials),
      properties: connection.properties,
    },
    test: configOf(options.connection_test),
    dashboards: configOf({ ...dashboards, database: dashboards.database ?? dbName, user_id: dashboards.user_id }),
    timing: configOf(picked(options, timing)),
    ...configOf(picked(options, tls)),
  }
}
