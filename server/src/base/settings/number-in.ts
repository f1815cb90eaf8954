import { ConfigError } from './config-error.ts'

/** What a setting that is a whole number may be, and is where it is not set. */
interface Range {
  readonly least: number
  readonly most: number
  readonly otherwise: number
}

/** Reads a setting that is a whole number. Throws ConfigError, which names it and its range. */
export function numberIn(
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
