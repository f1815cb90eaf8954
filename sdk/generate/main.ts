import { callsFile, signingFile, webhooksFile } from './calls.ts'
import { nounsFile } from './nouns.ts'
import { typesFile } from './types.ts'

/** The files of `sdk/src/generated` by their names, out of the contract. */
export function generatedFiles(): Readonly<Record<string, string>> {
  return {
    'types.ts': `import type { FileInput } from '../calls.ts'\n\n${typesFile()}`,
    'calls.ts': callsFile(),
    'signing.ts': signingFile(),
    'webhooks.ts': webhooksFile(),
    'nouns.ts': nounsFile(),
  }
}
