import { ConfigError } from './config-error.ts'

/** The allowed range of an integer, and its default. */
interface Range {
  readonly min: number
  readonly max: number
  readonly fallback: number
}

/** Reads a setting that is an integer. Throws ConfigError, naming the setting and its range. */
export function readInteger(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  { min, max, fallback }: Range,
): number {
  const text = env[name] || String(fallback)
  const number = Number(text)
  if (!/^\d+$/.test(text) || text.length > String(max).length || number < min || number > max)
    throw new ConfigError(`${name} must be a number from ${min} to ${max}, not "${text}".`)
  return number
}
