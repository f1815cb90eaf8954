import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { type PlatformConfig, readPlatformConfig } from '../../people/platforms/platform-config.ts'
import { findPlatform } from '../../people/platforms/platforms.ts'
import { expectRow, type Write } from '../../storage/commit/writes.ts'

/**
 * True if these settings of a platform allow payments to a provider. The platform's own domain is always
 * allowed.
 */
export function isAllowed(
  { umaProviderConfig: { mode, domains }, umaDomain }: PlatformConfig,
  domain: string,
): boolean {
  return mode === 'ALL' || domain === umaDomain || domains.includes(domain)
}

/** Throws 403 `COUNTERPARTY_NOT_ALLOWED`, naming `field`. `address` must be in lower case. */
export function checkAllowed(config: PlatformConfig, address: string, field: string): void {
  const domain = address.slice(address.indexOf('@') + 1)
  if (!isAllowed(config, domain))
    throw new ApiError('COUNTERPARTY_NOT_ALLOWED', {
      message: `The platform does not allow payments to the provider ${domain}.`,
      details: { field, domain },
    })
}

/**
 * Checks against the platform's current settings instead of those at the start of the operation. Returns the
 * guard that the settings are unchanged when the payment is written.
 */
export async function checkStillAllowed(op: Op, address: string, field: string): Promise<readonly Write[]> {
  const platform = await findPlatform(op)
  checkAllowed(readPlatformConfig(op, platform), address, field)
  return [expectRow('platforms', platform.id, { version: platform.version })]
}
