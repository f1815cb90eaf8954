import { readFileSync } from 'node:fs'
import { generateCallsFile, generateSigningFile, generateWebhooksFile } from './calls.ts'
import { generateNounsFile } from './nouns.ts'
import { generateTypesFile } from './types.ts'

/** The files of `sdk/src/generated`, by name. */
export function generateFiles(): Readonly<Record<string, string>> {
  return {
    'types.ts': `import type { FileInput } from '../client/upload-form.ts'\n\n${generateTypesFile()}`,
    'calls.ts': generateCallsFile(),
    'signing.ts': generateSigningFile(),
    'webhooks.ts': generateWebhooksFile(),
    'nouns.ts': generateNounsFile(),
    'wire-word.ts': generateWireWordFile(),
  }
}

/** The names that contain the wire word, as the server spells them. */
function generateWireWordFile(): string {
  return readFileSync('contract/src/core/wire-word.ts', 'utf8').replace("'./decode.ts'", "'../json/json.ts'")
}
