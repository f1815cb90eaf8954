import type { ScreeningConfig } from '../../base/settings/screening.ts'
import type { Screening } from '../../kernel/ports/screening.ts'
import { type AddressFile, openAddressFile } from './address-file.ts'
import { createHttpScreening } from './http-screening.ts'

/** The configured screening, and its file if it has one. The file can be reloaded. */
export interface OpenedScreening {
  readonly screening: Screening
  readonly file?: AddressFile
}

/**
 * Opens the configured screening. An address is clear if it is not in the file and the provider clears it.
 * Throws ConfigError.
 */
export async function openScreening(
  config: ScreeningConfig,
  clock: () => Date,
  onFailure: (cause: unknown) => void,
): Promise<OpenedScreening> {
  const file = config.file === undefined ? undefined : await openAddressFile(config.file, onFailure)
  const provider = config.provider && createHttpScreening(config.provider, clock)
  const screenings = [file, provider].filter((screening) => screening !== undefined)
  return { screening: combineScreenings(screenings), ...(file ? { file } : {}) }
}

/** Asks the screenings one after another until one reports a hit. */
function combineScreenings(screenings: readonly Screening[]): Screening {
  return {
    async check(request) {
      for (const screening of screenings) {
        const result = await screening.check(request)
        if (result.outcome === 'HIT') return result
      }
      return { outcome: 'CLEAR' }
    },
  }
}
