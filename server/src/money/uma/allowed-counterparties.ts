import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { type PlatformConfig, readPlatformConfig } from '../../people/platforms/platform-config.ts'
import { findPlatform } from '../../people/platforms/platforms.ts'
import { expectRow, type Write } from '../../storage/commit/writes.ts'

/** True if a platform with these settings allows payments to a provider. Its own domain is always allowed. */
export function isAllowed(
  { umaProviderConfig: { mode, domains }, umaDomain }: PlatformConfig,
  domain: string,
): boolean {
  return mode === 'ALL' || domain === umaDomain || domains.includes(domain)
}

/** Error: 403 `COUNTERPARTY_NOT_ALLOWED`, naming `field`. `address` is in lower case. */
export function checkAllowed(config: PlatformConfig, address: string, field: string): void {
  const domain = address.slice(address.indexOf('@') + 1)
  if (!isAllowed(config, domain))
    throw new ApiError('COUNTERPARTY_NOT_ALLOWED', {
      message: `The platform does not allow payments to the provider ${domain}.`,
      details: { field, domain },
    })
}

/**
 * Checks with the current settings instead of the ones at the beginning of the operation, and returns the
 * guard that they have not changed when the payment begins.
 */
export async function checkStillAllowed(op: Op, address: string, field: string): Promise<readonly Write[]> {
  const platform = await findPlatform(op)
  checkAllowed(readPlatformConfig(op, platform), address, field)
  return [expectRow('platforms', platform.id, { version: platform.version })]
}
