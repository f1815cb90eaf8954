import type { ScreeningConfig } from '../../base/settings/screening.ts'
import type { Screening } from '../../kernel/ports/screening.ts'
import { type AddressFile, openAddressFile } from './address-file.ts'
import { createHttpScreening } from './http-screening.ts'

/** The screening of the settings, and its file, which can be reloaded. */
export interface OpenedScreening {
  readonly screening: Screening
  readonly file?: AddressFile
}

/**
 * Opens the screening of the settings. An address is clear if it is not in the file and the provider clears
 * it. Throws ConfigError.
 */
export async function openScreening(
  config: ScreeningConfig,
  clock: () => Date,
  onFailure: (cause: unknown) => void,
): Promise<OpenedScreening> {
  const file = config.file === undefined ? undefined : await openAddressFile(config.file, onFailure)
  const provider = config.provider && createHttpScreening(config.provider, clock)
  const all = [file, provider].filter((one) => one !== undefined)
  return { screening: inTurn(all), ...(file ? { file } : {}) }
}

/** Queries one after the other, until one has a hit. */
function inTurn(all: readonly Screening[]): Screening {
  return {
    async check(wanted) {
      for (const one of all) {
        const result = await one.check(wanted)
        if (result.outcome === 'HIT') return result
      }
      return { outcome: 'CLEAR' }
    },
  }
}
