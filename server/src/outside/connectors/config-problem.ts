import type { RailEntryValue } from '@countersign/contract/connectors/rails-file'
import { endSentence } from '../../base/formats/thrown-errors.ts'
import { ConfigError } from '../../base/settings/config-error.ts'

/** Creates a ConfigError whose message names the rail. */
export function createRailConfigError({ name }: Pick<RailEntryValue, 'name'>, text: string): ConfigError {
  return new ConfigError(`RAILS_FILE, rail ${name}: ${endSentence(text)}`)
}
