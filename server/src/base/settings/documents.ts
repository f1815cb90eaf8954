import { isSafeUrl } from './safe-url.ts'

/** The storage of documents, and their retention after the deletion of a customer. */
export interface DocumentsConfig {
  /** If absent, documents are stored in a folder of the data directory. */
  readonly bucket?: BucketConfig
  readonly retentionDays: number
}

/** A bucket of an S3-compatible service. */
export interface BucketConfig {
  /** The URL of the bucket without a trailing slash: `https://s3.eu-central-1.amazonaws.com/documents`. */
  readonly url: string
  readonly region: string
  /** The prefix of all names in the bucket: empty, or ending with a slash. */
  readonly prefix: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

export const RETENTION_DAYS_DEFAULT = 1825
const RETENTION_DAYS_MAX = 36_500

type Environment = Readonly<Record<string, string | undefined>>

/** Reads the settings. `problem` is one line that names the variable. */
export function parseDocuments(env: Environment): DocumentsConfig | { readonly problem: string } {
  const { DOCUMENTS_RETENTION_DAYS } = env
  const text = DOCUMENTS_RETENTION_DAYS || String(RETENTION_DAYS_DEFAULT)
  const retentionDays = Number(text)
  if (!/^\d{1,5}$/.test(text) || retentionDays > RETENTION_DAYS_MAX)
    return {
      problem: `DOCUMENTS_RETENTION_DAYS must be a number from 0 to ${RETENTION_DAYS_MAX}, not "${text}".`,
    }
  const bucket = parseBucket(env)
  if (bucket && 'problem' in bucket) return bucket
  return { retentionDays, ...(bucket ? { bucket } : {}) }
}

const FORM =
  'DOCUMENTS_URL must be like s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-central-1 (endpoint: https, or http only for this machine)'
const REGION_DEFAULT = 'us-east-1'
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const PREFIX = /^(?:[\w.-]+\/)*$/

function parseBucket(env: Environment): BucketConfig | { readonly problem: string } | undefined {
  const { DOCUMENTS_URL, DOCUMENTS_ACCESS_KEY_ID, DOCUMENTS_SECRET_ACCESS_KEY } = env
  if (!DOCUMENTS_URL && !DOCUMENTS_ACCESS_KEY_ID && !DOCUMENTS_SECRET_ACCESS_KEY) return undefined
  if (!DOCUMENTS_URL)
    return { problem: 'DOCUMENTS_URL is missing: it is required by the keys in DOCUMENTS_…' }
  const url = URL.canParse(DOCUMENTS_URL) ? new URL(DOCUMENTS_URL) : undefined
  // Credentials in the URL could be displayed with it, so they have their own variables.
  if (url?.protocol !== 's3:' || url.username || url.password || url.hash || url.port)
    return { problem: FORM }
  const region = url.searchParams.get('region') ?? REGION_DEFAULT
  const endpoint = parseEndpoint(url.searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`)
  const prefix = url.pathname.replace(/^\/+/, '').replace(/([^/])$/, '$1/')
  const isKnown = [...url.searchParams.keys()].every((name) => name === 'endpoint' || name === 'region')
  if (
    !endpoint ||
    !isKnown ||
    !BUCKET.test(url.hostname) ||
    !PREFIX.test(prefix) ||
    !/^[\w-]{1,64}$/.test(region)
  )
    return { problem: FORM }
  if (!DOCUMENTS_ACCESS_KEY_ID || !DOCUMENTS_SECRET_ACCESS_KEY)
    return { problem: 'DOCUMENTS_URL needs DOCUMENTS_ACCESS_KEY_ID and DOCUMENTS_SECRET_ACCESS_KEY.' }
  return {
    url: `${endpoint}/${url.hostname}`,
    region,
    prefix,
    accessKeyId: DOCUMENTS_ACCESS_KEY_ID,
    secretAccessKey: DOCUMENTS_SECRET_ACCESS_KEY,
  }
}

function parseEndpoint(text: string): string | undefined {
  if (!isSafeUrl(text)) return undefined
  const url = new URL(text)
  return url.search ? undefined : url.href.replace(/\/+$/, '')
}
