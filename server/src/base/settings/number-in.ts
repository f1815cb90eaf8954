import { ConfigError } from './config-error.ts'

/** The allowed range of an integer, and its default. */
interface Range {
  readonly least: number
  readonly most: number
  readonly otherwise: number
}

/** Reads a setting that is an integer. Throws ConfigError, naming the setting and its range. */
export function readInteger(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  { least, most, otherwise }: Range,
): number {
  const text = env[name] || String(otherwise)
  const number = Number(text)
  if (!/^\d+$/.test(text) || text.length > String(most).length || number < least || number > most)
    throw new ConfigError(`${name} must be a number from ${least} to ${most}, not "${text}"`)
  return number
}
