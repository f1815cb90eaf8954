import { fileURLToPath } from 'node:url'

const sdk = `${fileURLToPath(new URL('..', import.meta.url))}sdk/src/`

/** In tests, the sdk's entries resolve to its sources, as they do in the paths of tsconfig.json. */
export const SDK_ALIAS = [
  { find: /^@countersign\/sdk$/, replacement: `${sdk}index.ts` },
  { find: /^@countersign\/sdk\/(\w+)$/, replacement: `${sdk}entries/$1.ts` },
]
