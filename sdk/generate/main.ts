import { readFileSync } from 'node:fs'
import { callsFile, signingFile, webhooksFile } from './calls.ts'
import { nounsFile } from './nouns.ts'
import { typesFile } from './types.ts'

/** The files of `sdk/src/generated`, by name. */
export function generatedFiles(): Readonly<Record<string, string>> {
  return {
    'types.ts': `import type { FileInput } from '../client/upload-form.ts'\n\n${typesFile()}`,
    'calls.ts': callsFile(),
    'signing.ts': signingFile(),
    'webhooks.ts': webhooksFile(),
    'nouns.ts': nounsFile(),
    'wire-word.ts': wireWordFile(),
  }
}

/** The names that contain the wire word, as the server spells them. */
function wireWordFile(): string {
  return readFileSync('contract/src/core/wire-word.ts', 'utf8').replace("'./decode.ts'", "'../json/json.ts'")
}
