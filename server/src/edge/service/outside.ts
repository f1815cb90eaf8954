import { join } from 'node:path'
import { VerificationOutcome } from '@countersign/contract/customers/verifications'
import { createKeySource } from '../../base/crypto/oidc/keys.ts'
import { getJsonFrom } from '../../base/http-client/send.ts'
import type { Config } from '../../base/settings/config.ts'
import { type App, machineClock } from '../../kernel/operation/app.ts'
import type { Enclave } from '../../kernel/ports/enclave.ts'
import type { FileStore } from '../../kernel/ports/file-store.ts'
import type { RateProvider } from '../../kernel/ports/rates.ts'
import type { StablecoinProviders } from '../../kernel/ports/stablecoin-provider.ts'
import { createBrale } from '../../outside/providers/brale.ts'
import { createBucketStore } from '../../outside/providers/file-bucket.ts'
import { createFolderStore } from '../../outside/providers/file-folder.ts'
import { createHttpRates } from '../../outside/providers/http-rates.ts'
import { createHttpVerifier } from '../../outside/providers/http-verifier.ts'
import { createSandboxCardProcessor } from '../../outside/sandbox/card-processor.ts'
import { sandboxDepositDetails } from '../../outside/sandbox/deposit-details.ts'
import { sandboxNetworkFees } from '../../outside/sandbox/network-fees.ts'
import { createSandboxRates } from '../../outside/sandbox/rates.ts'
import { sandboxStablecoinProvider } from '../../outside/sandbox/stablecoin-provider.ts'
import { createDelivery } from '../../people/messages/channels.ts'
import { validator } from '../http/request/validate.ts'

/** Validates a response of the verification provider. Throws if it is not an outcome. */
const readOutcome = validator(VerificationOutcome, 'body')

/** Creates the ports to external systems: token issuers, rates, message delivery. */
export function createOutside(
  config: Config,
  enclave: Enclave,
  log: App['log'],
): Pick<
  App,
  | 'verifier'
  | 'rates'
  | 'networkFees'
  | 'stablecoinProviders'
  | 'cardProcessor'
  | 'delivery'
  | 'depositDetails'
  | 'identityKeys'
> {
  const isSandbox = config.mode === 'sandbox'
  return {
    rates: createRates(config, (cause) => log.warn({ err: cause }, 'failed to fetch rates')),
    networkFees: isSandbox ? sandboxNetworkFees : undefined,
    stablecoinProviders: createStablecoinProviders(config),
    depositDetails: isSandbox ? sandboxDepositDetails : undefined,
    cardProcessor: isSandbox ? createSandboxCardProcessor(enclave) : undefined,
    verifier: config.verification && createHttpVerifier(config.verification, machineClock, readOutcome),
    delivery: createDelivery(config),
    identityKeys: createKeySource({
      get: getJsonFrom('public'),
      clock: machineClock,
      onFailure: (issuer, cause) => log.warn({ err: cause, issuer }, 'failed to fetch issuer keys'),
    }),
  }
}

/**
 * Creates the configured source of rates. By default the sandbox has its own, and production has no default.
 */
function createRates({ rates, mode }: Config, onFailure: (cause: unknown) => void): RateProvider | undefined {
  if (rates) return createHttpRates({ ...rates, get: getJsonFrom('any'), clock: machineClock, onFailure })
  return mode === 'sandbox' ? createSandboxRates(machineClock) : undefined
}

/** Creates the store for uploaded files: the operator's bucket, or the data directory. */
export async function createFileStore({ documents, dataDir }: Config): Promise<FileStore> {
  return documents.bucket
    ? createBucketStore(documents.bucket, machineClock)
    : createFolderStore(join(dataDir, 'files'))
}

/** The sandbox has its own provider. Production uses the real one if the operator has configured it. */
function createStablecoinProviders({ mode, brale }: Config): StablecoinProviders | undefined {
  if (mode === 'sandbox') return { BRALE: sandboxStablecoinProvider }
  return brale ? { BRALE: createBrale(brale) } : undefined
}
