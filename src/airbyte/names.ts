// The member names of the Airbyte wire that this connector looks at.

import { nameOf } from '../json/name.ts'

export const TYPE = nameOf('type')
export const RECORD = nameOf('record')
export const STATE = nameOf('state')
export const TRACE = nameOf('trace')
export const STREAM = nameOf('stream')
export const NAMESPACE = nameOf('namespace')
export const NAME = nameOf('name')
export const DATA = nameOf('data')
export const EMITTED_AT = nameOf('emitted_at')
export const META = nameOf('meta')
export const STREAM_DESCRIPTOR = nameOf('stream_descriptor')
export const STREAM_STATUS = nameOf('stream_status')
export const STATUS = nameOf('status')
export const DESTINATION_STATS = nameOf('destinationStats')
