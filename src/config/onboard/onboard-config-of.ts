// The options of `onboard`, right as they are, as what `onboard` works with: defaults that other options give, units, secrets
// wrapped.

import { Secret } from '../../core/secret.ts'
import { readAddress } from '../address.ts'
import type { OnboardConfig } from './onboard-config.ts'
import type { OnboardOptions } from './onboard-options.ts'
import { pemText } from '../pem.ts'

export function onboardConfigOf(options: OnboardOptions): OnboardConfig {
  const { login, client, user, connection_test: test, dashboards } = options
  return {
    baseUrl: address(options.base_url, options),
    dashboardUrl: address(options.dashboard_url, options),
    login: {
      username: login.username,
      password: new Secret(login.password),
      clientId: login.client_id,
      clientSecret: new Secret(login.client_secret),
    },
    client: {
      tier: client.tier,
      company: client.company,
      firstName: client.first_name,
      lastName: client.last_name,
      email: client.email,
      role: client.role,
      customerId: client.shop.customer_id,
      subscriptionId: client.shop.subscription_id,
    },
    user: {
      email: user.email ?? client.email,
      firstName: user.first_name ?? client.first_name,
      lastName: user.last_name ?? client.last_name,
      rights: user.rights,
    },
    update: updateOf(options),
    connection: connectionOf(options),
    test: { referer: test.referer, pollNumber: test.poll_number },
    dashboards: {
      package: dashboards.package,
      database: dashboards.database ?? options.connection.properties.dbName,
      tablePrefix: dashboards.table_prefix,
      userId: dashboards.user_id,
    },
    timing: timingOf(options),
    caCertificate: pem(options.ca_certificate),
    clientCertificate: pem(options.client_certificate),
    clientKey: secret(pem(options.client_key)) ?? undefined,
  }
}

function address(text: string, { allow_insecure_http: http }: OnboardOptions): string {
  const read = readAddress(text, http)
  if ('problem' in read) throw new TypeError(`The address ${read.problem}.`)
  return read.url
}

function updateOf({ client, properties, connection, dashboards }: OnboardOptions): OnboardConfig['update'] {
  return {
    name: client.name ?? client.company,
    properties: {
      ...properties,
      shop_store_db_name: properties.shop_store_db_name ?? connection.properties.dbName,
      shop_store_table_prefix: properties.shop_store_table_prefix ?? dashboards.table_prefix,
    },
  }
}

function connectionOf({ connection }: OnboardOptions): OnboardConfig['connection'] {
  const { name, display_name: displayName, credentials, properties } = connection
  return {
    name,
    displayName: displayName ?? name,
    password: new Secret(credentials.password),
    encryptionPassword: secret(credentials.encryption_password),
    properties: { ...properties, encryption_groupSecret: secret(properties.encryption_groupSecret) },
  }
}

function timingOf({ polling, timeouts, ...options }: OnboardOptions): OnboardConfig['timing'] {
  return {
    requestTimeoutMs: options.request_timeout_seconds * 1_000,
    retryForMs: options.retry_for_seconds * 1_000,
    pollFirstMs: polling.first_seconds * 1_000,
    pollMaxMs: polling.max_seconds * 1_000,
    stepMs: {
      client: timeouts.client_seconds * 1_000,
      connection: timeouts.connection_seconds * 1_000,
      test: timeouts.test_seconds * 1_000,
      dashboards: timeouts.dashboards_seconds * 1_000,
    },
    totalMs: timeouts.total_seconds * 1_000,
  }
}

function secret(text: string | null | undefined): Secret | null {
  return text === null || text === undefined ? null : new Secret(text)
}

function pem(text: string | undefined): string | undefined {
  return text === undefined ? undefined : pemText(text)
}
