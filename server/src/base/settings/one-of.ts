import { ConfigError } from './config-error.ts'

/** Reads a setting that is one of some words. Throws ConfigError, which names it and them. */
export function oneOf<const T extends readonly string[]>(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  words: T,
  otherwise: T[number],
): T[number] {
  const text = env[name]
  if (!text) return otherwise
  if (!words.includes(text))
    throw new ConfigError(`${name} must be one of ${words.join(', ')}, not "${text}"`)
  return text
}
