import { ConfigError } from './config-error.ts'

/** Reads a setting with a fixed set of values. Throws ConfigError, naming the setting and the values. */
export function readChoice<const T extends readonly string[]>(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  choices: T,
  fallback: T[number],
): T[number] {
  const text = env[name]
  if (!text) return fallback
  if (!choices.includes(text))
    throw new ConfigError(`${name} must be one of ${choices.join(', ')}, not "${text}".`)
  return text
}
