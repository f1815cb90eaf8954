import { join } from 'node:path'
import type { JsonSchema } from '@countersign/contract/core/decode'
import { VerificationOutcome } from '@countersign/contract/customers/verifications'
import { createKeySource } from '../crypto/oidc/keys.ts'
import { createDelivery } from '../delivery/delivery.ts'
import { createBucketStore } from '../file-stores/bucket.ts'
import { createFolderStore } from '../file-stores/folder.ts'
import { validator } from '../http/validate.ts'
import { type App, machineClock } from '../op/app.ts'
import { getJsonFrom } from '../outgoing/send.ts'
import type { Enclave } from '../ports/enclave.ts'
import type { FileStore } from '../ports/file-store.ts'
import type { RateProvider } from '../ports/rates.ts'
import type { StablecoinProviders } from '../ports/stablecoin-provider.ts'
import type { VerifierAnswer } from '../ports/verifier.ts'
import { createHttpRates } from '../rates/http-rates.ts'
import { createSandboxCardProcessor } from '../sandbox/card-processor.ts'
import { sandboxDepositDetails } from '../sandbox/deposit-details.ts'
import { sandboxNetworkFees } from '../sandbox/network-fees.ts'
import { createSandboxRates } from '../sandbox/rates.ts'
import { sandboxStablecoinProvider } from '../sandbox/stablecoin-provider.ts'
import type { Config } from '../settings/config.ts'
import { createBrale } from '../stablecoin-providers/brale.ts'
import { createHttpVerifier } from '../verifiers/http-verifier.ts'

/** Checks what a verification provider answers. Throws for what is no outcome. */
const readOutcome = validator(VerificationOutcome as JsonSchema, 'body') as (
  answer: unknown,
) => VerifierAnswer

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
