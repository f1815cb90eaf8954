import { ConfigError } from './config-error.ts'

const DAYS_DEFAULT = 7

/** For how many days requests are kept; 0: none is. Throws ConfigError. */
export function readRequestLogDays({
  REQUEST_LOG_DAYS,
}: Readonly<Record<string, string | undefined>>): number {
  const text = REQUEST_LOG_DAYS || String(DAYS_DEFAULT)
  if (!/^\d{1,3}$/.test(text) || Number(text) > 365)
    throw new ConfigError(`REQUEST_LOG_DAYS must be a number from 0 to 365, not "${text}"`)
  return Number(text)
}
