import { isPrivateHost } from '../../base/http-client/addresses.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { createFieldError } from '../../kernel/operation/operation.ts'
import type { PlatformConfig } from './platform-config.ts'

/**
 * Throws 400 for an issuer whose keys cannot be fetched over https from a public host. Each connection is
 * checked again. The sandbox contacts no issuers and accepts any name.
 */
export function checkIssuers(
  op: Pick<Op, 'mode'>,
  config: PlatformConfig['oauthConfig'] | undefined,
): PlatformConfig['oauthConfig'] | undefined {
  if (op.mode === 'sandbox') return config
  config?.issuers.forEach(({ issuer }, index) => {
    const url = URL.canParse(issuer) ? new URL(issuer) : undefined
    if (!url || url.username || url.password || url.search || url.hash || isPrivateHost(url.hostname))
      throw createFieldError(
        'INVALID_INPUT',
        `oauthConfig.issuers.${index}.issuer`,
        'An issuer must be a public https URL without a user name, query or fragment.',
      )
  })
  return config
}
