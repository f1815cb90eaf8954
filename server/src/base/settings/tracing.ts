import { ConfigError } from './config-error.ts'
import { readInteger } from './number-in.ts'
import { readChoice } from './one-of.ts'

const PROTOCOLS = ['http/protobuf', 'http/json'] as const

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

/** Trace collector and sampling, configured through OpenTelemetry's standard variables. */
export interface TracingConfig {
  /** The URL to which spans are posted. */
  readonly url: string
  /** Request headers, which may contain a key for the collector. */
  readonly headers: Readonly<Record<string, string>>
  readonly protocol: (typeof PROTOCOLS)[number]
  readonly serviceName: string
  readonly sampler: (typeof SAMPLERS)[number]
  /** The share of traces kept by the ratio samplers, from 0 to 1. */
  readonly ratio: number
  /** The time for which spans are collected before they are sent. */
  readonly delayMs: number
}

const DELAY_MS = 5_000
const DELAY_MS_MAX = 60_000

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Tracing is disabled without an endpoint, even if other variables are set for other programs on the machine.
 * Throws ConfigError.
 */
export function readTracing(env: Environment): { readonly tracing?: TracingConfig } {
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT
  if (!endpoint) return {}
  const tracing = {
    url: parseEndpoint(endpoint),
    headers: parseHeaders(env.OTEL_EXPORTER_OTLP_HEADERS),
    protocol: readChoice(env, 'OTEL_EXPORTER_OTLP_PROTOCOL', PROTOCOLS, 'http/protobuf'),
    serviceName: env.OTEL_SERVICE_NAME || 'countersign',
    sampler: readChoice(env, 'OTEL_TRACES_SAMPLER', SAMPLERS, 'parentbased_traceidratio'),
    ratio: parseRatio(env.OTEL_TRACES_SAMPLER_ARG),
    delayMs: readInteger(env, 'OTEL_BSP_SCHEDULE_DELAY', {
      min: 10,
      max: DELAY_MS_MAX,
      fallback: DELAY_MS,
    }),
  }
  return { tracing }
}

/** The collector is often in the same private network, so `http:` is allowed for any host. */
function parseEndpoint(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new ConfigError(
      'OTEL_EXPORTER_OTLP_ENDPOINT must be like http://localhost:4318, without user, password, query or fragment.',
    )
  return `${url.href.replace(/\/+$/, '')}/v1/traces`
}

/**
 * Parses `name=value,name=value` with percent-encoded values. Error messages must not repeat the values,
 * which may be secrets.
 */
function parseHeaders(text = ''): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '')
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, encoded] = /^\s*([!#$%&'*+.^_`|~A-Za-z0-9-]+)\s*=\s*([\x21-\x7e]*)\s*$/.exec(pair) ?? []
      const value = encoded === undefined ? undefined : decodeText(encoded)
      if (name === undefined || value === undefined)
        throw new ConfigError('OTEL_EXPORTER_OTLP_HEADERS must be like api-key=…,other=…, percent-encoded.')
      return [name, value]
    }),
  )
}

function decodeText(text: string): string | undefined {
  try {
    const value = decodeURIComponent(text)
    return /^[\x20-\x7e]*$/.test(value) ? value : undefined
  } catch {
    return undefined
  }
}

function parseRatio(text: string | undefined): number {
  const ratio = Number(text || '1')
  if (!/^[\d.]+$/.test(text || '1') || !(ratio >= 0 && ratio <= 1))
    throw new ConfigError(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not "${text}".`)
  return ratio
}
