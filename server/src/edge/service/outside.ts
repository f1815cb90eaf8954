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

/** Checks what a verification provider answers. Throws for what is no outcome. */
const readOutcome = validator(VerificationOutcome, 'body')

/** The implementations of ports to the outside: issuers, rates, delivery of messages. */
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
    rates: createRates(config, (cause) => log.warn({ err: cause }, 'rates not fetched')),
    networkFees: isSandbox ? sandboxNetworkFees : undefined,
    stablecoinProviders: createStablecoinProviders(config),
    depositDetails: isSandbox ? sandboxDepositDetails : undefined,
    cardProcessor: isSandbox ? createSandboxCardProcessor(enclave) : undefined,
    verifier: config.verification && createHttpVerifier(config.verification, machineClock, readOutcome),
    delivery: createDelivery(config),
    identityKeys: createKeySource({
      get: getJsonFrom('public'),
      clock: machineClock,
      onFailure: (issuer, cause) => log.warn({ err: cause, issuer }, 'keys of an issuer not fetched'),
    }),
  }
}

/** The rates source of the settings; without one the sandbox has its own, and production none. */
function createRates({ rates, mode }: Config, onFailure: (cause: unknown) => void): RateProvider | undefined {
  if (rates) return createHttpRates({ ...rates, get: getJsonFrom('any'), clock: machineClock, onFailure })
  return mode === 'sandbox' ? createSandboxRates(machineClock) : undefined
}

/** Where uploaded files are kept: the operator's bucket, or the data directory. */
export async function createFileStore({ documents, dataDir }: Config): Promise<FileStore> {
  return documents.bucket
    ? createBucketStore(documents.bucket, machineClock)
    : createFolderStore(join(dataDir, 'files'))
}

/** The sandbox has a provider of its own. Production asks the real one where the operator has said of which environment. */
function createStablecoinProviders({ mode, brale }: Config): StablecoinProviders | undefined {
  if (mode === 'sandbox') return { BRALE: sandboxStablecoinProvider }
  return brale ? { BRALE: createBrale(brale) } : undefined
}
