// What `onboard` works with: values that cannot be wrong. Knows no file and no schema; names as in the service document are
// sent as they stand.

import type { Secret } from '../../core/secret.ts'

export interface OnboardConfig {
  /** http(s)://host[:port][/prefix], without a slash at the end. */
  readonly baseUrl: string
  readonly dashboardUrl: string
  readonly login: {
    readonly username: string
    readonly password: Secret
    readonly clientId: number
    readonly clientSecret: Secret
  }
  readonly client: {
    readonly tier: string
    readonly company: string
    readonly firstName: string
    readonly lastName: string
    readonly email: string
    readonly role: string
    readonly customerId: string
    readonly subscriptionId: string
  }
  readonly user: {
    readonly email: string
    readonly firstName: string
    readonly lastName: string
    readonly rights: Readonly<Record<'admin' | 'billing' | 'readonly' | 'technical', 0 | 1>>
  }
  readonly update: { readonly name: string; readonly properties: ClientPropertiesConfig }
  readonly connection: {
    readonly name: string
    readonly displayName: string
    readonly password: Secret
    readonly encryptionPassword: Secret | null
    readonly properties: ConnectionPropertiesConfig
  }
  readonly test: { readonly referer: string; readonly pollNumber: number }
  readonly dashboards: {
    readonly package: string
    readonly database: string
    readonly tablePrefix: string
    readonly userId: number | undefined
  }
  readonly timing: {
    readonly requestTimeoutMs: number
    readonly retryForMs: number
    readonly pollFirstMs: number
    readonly pollMaxMs: number
    readonly stepMs: Readonly<Record<'client' | 'connection' | 'test' | 'dashboards', number>>
    readonly totalMs: number
  }
  /** PEM. */
  readonly caCertificate: string | undefined
  /** PEM; given if and only if `clientKey` is, and a pair. */
  readonly clientCertificate: string | undefined
  readonly clientKey: Secret | undefined
}

/** Service document 2.4. */
export interface ClientPropertiesConfig {
  readonly blackout_hours: string
  readonly default_currency: string
  readonly forced_update_hours: string
  readonly has_guest_checkout: string
  readonly has_privacy_protection: string | null
  readonly hosted_warehouse: string | null
  readonly is_implemented: boolean
  readonly shop_store_db_name: string
  readonly shop_store_table_prefix: string
  readonly shop_version: string
  readonly perform_updates: string
  readonly phone_number: string | null
  readonly stale_email_summary_action: string
  readonly timezone: string
  readonly website_url: string | null
  readonly week_start_day: string
}

/** Service document 2.5. */
export interface ConnectionPropertiesConfig {
  readonly dbName: string
  readonly host: string
  readonly port: string
  readonly username: string
  readonly sourceTZ: string | null
  readonly desiredTZ: string | null
  readonly status: string
  readonly useSSL: string
  readonly noPhpPasswordEncryption: string
  readonly encryption_type: string
  readonly encryption_username: string | null
  readonly encryption_gatewayAddress: string | null
  readonly encryption_groupName: string | null
  readonly encryption_groupSecret: Secret | null
  readonly encryption_sshHostAddress: string | null
  readonly encryption_sshPort: string | null
  readonly encryption_sshUsername: string | null
}
