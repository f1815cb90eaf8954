import { type Networks, parseNetworks } from '../formats/ip-addresses.ts'
import { ConfigError } from './config-error.ts'

/** Reads the networks whose `X-Forwarded-For` header is trusted. Throws ConfigError. */
export function readTrustedProxies({
  TRUSTED_PROXIES,
}: Readonly<Record<string, string | undefined>>): Networks {
  const texts = (TRUSTED_PROXIES ?? '').split(',').map((text) => text.trim())
  const parsed = parseNetworks(texts.filter((text) => text !== ''))
  if ('problem' in parsed)
    throw new ConfigError(
      `TRUSTED_PROXIES must be networks or addresses separated by commas, like 10.0.0.0/8,fd00::/8, not "${parsed.problem}".`,
    )
  return parsed.networks
}
