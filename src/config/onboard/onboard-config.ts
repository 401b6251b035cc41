// What `onboard` works with: values that cannot be wrong. Knows no file; names as in the service document are sent as they
// stand.

import type { Secret } from '../../core/secret.ts'
import type { OnboardOptions } from './onboard-options.ts'

export interface OnboardConfig {
  /** http(s)://host[:port][/prefix], without a slash at the end. */
  readonly baseUrl: string
  readonly dashboardUrl: string
  readonly login: ApiLogin
  readonly client: NewClient
  readonly user: NewUser
  readonly update: ClientUpdate
  readonly connection: NewConnection
  readonly test: ConnectionTest
  /** `userId`: if the answer about the user has none; undefined: that of the login. */
  readonly dashboards: NewDashboards & { readonly userId: number | undefined }
  readonly timing: OnboardTiming
  /** PEM. */
  readonly caCertificate: string | undefined
  /** PEM; given if and only if `clientKey` is, and a pair. */
  readonly clientCertificate: string | undefined
  readonly clientKey: Secret | undefined
}

/** As who. */
export interface ApiLogin {
  readonly username: string
  readonly password: Secret
  readonly clientId: number
  readonly clientSecret: Secret
}

export interface NewClient {
  readonly tier: string
  readonly company: string
  readonly firstName: string
  readonly lastName: string
  readonly email: string
  readonly role: string
  readonly customerId: string
  readonly subscriptionId: string
}

export interface NewUser {
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly rights: Readonly<OnboardOptions['user']['rights']>
}

export interface ClientUpdate {
  readonly name: string
  readonly properties: ClientProperties
}

type Given<Options, But extends keyof Options> = Readonly<Omit<Options, But>>

/** As sent: each is there. */
export type ClientProperties = Given<OnboardOptions['properties'], 'shop_store_db_name' | 'shop_store_table_prefix'> & {
  readonly shop_store_db_name: string
  readonly shop_store_table_prefix: string
}

/** As sent, but for the one that is a secret. */
export type ConnectionProperties = Given<OnboardOptions['connection']['properties'], 'encryption_groupSecret'> & {
  readonly encryption_groupSecret: Secret | null
}

export interface NewConnection {
  readonly name: string
  readonly displayName: string
  readonly password: Secret
  readonly encryptionPassword: Secret | null
  readonly properties: ConnectionProperties
}

export interface ConnectionTest {
  /** Of the page a browser would come from; {dashboard_url}, {client_id} and {connection_id} are filled in. */
  readonly referer: string
  /** The number at the end of the path of its poll. */
  readonly pollNumber: number
}

export interface NewDashboards {
  readonly package: string
  readonly database: string
  readonly tablePrefix: string
}

/** Milliseconds. */
export interface OnboardTiming {
  readonly requestTimeoutMs: number
  /** So long a request that fails for a passing reason is repeated, from its first attempt. */
  readonly retryForMs: number
  readonly pollFirstMs: number
  readonly pollMaxMs: number
  readonly stepMs: Readonly<Record<'client' | 'connection' | 'test' | 'dashboards', number>>
  readonly totalMs: number
}
