// What an onboarding is made of, as its requests need it (service document 2 and 4.A). Types only.

import type { Secret } from '../../core/secret.ts'

/** Service document 4.A. */
export type Endpoint = 'A1' | 'A2' | 'A3' | 'A4' | 'A5' | 'A6' | 'A7' | 'A8' | 'A9' | 'A10' | 'A11'

/** A1, as who. */
export interface Login {
  readonly username: string
  readonly password: Secret
  readonly clientId: number
  readonly clientSecret: Secret
}

/** What later requests carry of A1's answer. `userId`: a placeholder where requests are only shown. */
export interface Session {
  readonly token: Secret
  readonly userId: Id
}

/** A number; a text where requests are only shown. */
export type Id = number | string

/** A2. */
export interface Signup {
  readonly tier: string
  readonly company: string
  readonly firstName: string
  readonly lastName: string
  readonly email: string
  readonly role: string
  readonly customerId: string
  readonly subscriptionId: string
}

/** A4. */
export interface NewUser {
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly rights: Readonly<Record<'admin' | 'billing' | 'readonly' | 'technical', 0 | 1>>
}

/** A5: service document 2.4, as sent. */
export interface ClientProperties {
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

export interface ClientUpdate {
  readonly name: string
  readonly properties: ClientProperties
}

/** A6: service document 2.5, properties as sent but for the one that is a secret. */
export interface ConnectionProperties {
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

export interface NewConnection {
  readonly name: string
  readonly displayName: string
  readonly password: Secret
  readonly encryptionPassword: Secret | null
  readonly properties: ConnectionProperties
}

/** A8 and A9. */
export interface ConnectionTest {
  /** Of the page a browser would come from; {dashboard_url}, {client_id} and {connection_id} are filled in. */
  readonly referer: string
  /** The number at the end of A9's path (assumptions 37). */
  readonly pollNumber: number
}

/** A10. */
export interface Dashboards {
  readonly package: string
  readonly database: string
  readonly tablePrefix: string
}
