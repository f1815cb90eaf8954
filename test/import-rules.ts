import type { IForbiddenRuleType } from 'dependency-cruiser'
import { FOLDERS, WINGS } from './folders.ts'

/** Tests and tool configurations may import every package: they drive the service through the sdk. */
const TESTS = String.raw`\.(?:test|testing)\.tsx?$|\.config\.ts$|^\w+/test/`

/** The packages that each package may import. A package that is not listed may import all of them. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  server: ['contract'],
  sdk: ['contract'],
  cli: ['contract', 'sdk'],
  console: ['contract', 'sdk'],
  connectors: ['contract'],
  e2e: ['sdk'],
  examples: ['sdk'],
}

/** Every folder of the repository that may contain sources. */
export const SOURCE_FOLDERS = [
  'contract',
  'server',
  'sdk',
  'cli',
  'console',
  'connectors',
  'contracts',
  'bench',
  'sim',
  'e2e',
  'examples',
  'test',
]

const OWN_SOURCES = `^(?:${SOURCE_FOLDERS.join('|')})/`

/** Rooms that consist of SQL. Other rooms may call their stores. */
const SHARED_STORES = ['kernel/ledger', 'kernel/outbox', 'kernel/signing', 'kernel/enclave']

const HTTP_CLIENTS =
  '^(?:https?|http2|undici|axios|got|node-fetch)$|^node_modules/(?:undici|axios|got|node-fetch)/'

/** The import rules for dependency-cruiser. A violation prints the rule's comment. */
export const IMPORT_RULES: IForbiddenRuleType[] = [
  ...orderRules('server/src', Object.keys(WINGS), 'wing'),
  ...Object.entries(WINGS).flatMap(([wing, rooms]) => orderRules(`server/src/${wing}`, rooms, 'room')),
  ...Object.entries(FOLDERS).flatMap(([root, folders]) => orderRules(root, folders, 'folder')),
  ...packageRules(),
  {
    name: 'contract-imports-typebox',
    comment: 'the contract imports typebox only',
    severity: 'error',
    from: { path: '^contract/', pathNot: TESTS },
    to: { pathNot: [OWN_SOURCES, '^node_modules/typebox/'] },
  },
  {
    name: 'sdk-by-its-entries',
    comment: 'import the sdk through its entry points: @countersign/sdk or @countersign/sdk/<entry>',
    severity: 'error',
    from: { pathNot: '^sdk/' },
    to: {
      path: '^sdk/src/',
      pathNot: String.raw`^sdk/src/(?:index\.ts$|entries/\w+\.ts$|react/styles\.css$)`,
    },
  },
  {
    name: 'sdk-by-path-inside',
    comment: 'inside the sdk, use relative imports',
    severity: 'error',
    from: { path: '^sdk/' },
    to: { path: '^sdk/', dependencyTypes: ['aliased', 'npm', 'localmodule'] },
  },
  {
    name: 'store-is-its-rooms-own',
    comment: "a room's store is private: call the room's functions instead",
    severity: 'error',
    from: { path: '^server/src/([^/]+/[^/]+)/', pathNot: TESTS },
    to: {
      path: String.raw`^server/src/.*[/-]store\.ts$`,
      pathNot: [
        '^server/src/$1/',
        '^server/src/storage/',
        `^server/src/(?:${SHARED_STORES.join('|')})/`,
        // A port whose name happens to contain "store".
        String.raw`^server/src/kernel/ports/file-store\.ts$`,
      ],
    },
  },
  {
    name: 'test-next-to-source',
    comment: 'a test through the service belongs in server/test/<wing>/<room>/',
    severity: 'error',
    from: { path: String.raw`^server/src/.*\.test\.ts$` },
    to: { path: '^server/test/' },
  },
  {
    name: 'http-client',
    comment: 'send HTTP requests through base/http-client/send.ts',
    severity: 'error',
    from: { path: '^server/src/', pathNot: [TESTS, '^server/src/base/http-client/'] },
    to: { path: HTTP_CLIENTS, dependencyTypesNot: ['type-only', 'type-import'] },
  },
]

/** Builds a rule for each folder that has folders above it in the order. */
function orderRules(root: string, folders: readonly string[], kind: string): IForbiddenRuleType[] {
  return folders.slice(0, -1).map((folder, index) => ({
    name: `order of ${kind}s: ${root}/${folder}`,
    comment: `imports run down: this ${kind} is above ${folder} in test/folders.ts`,
    severity: 'error',
    from: { path: toPathPattern(root, folder, folders), pathNot: TESTS },
    to: { path: folders.slice(index + 1).map((above) => toPathPattern(root, above, folders)) },
  }))
}

/** A pattern for the files of a folder, except for subfolders that have their own position in the order. */
function toPathPattern(root: string, folder: string, folders: readonly string[]): string {
  if (folder === '.') return `^${root}/[^/]+$`
  const below = folders
    .filter((other) => other.startsWith(`${folder}/`))
    .map((other) => other.slice(folder.length + 1))
  return `^${root}/${folder}/${below.length > 0 ? `(?!(?:${below.join('|')})/)` : ''}`
}

function packageRules(): IForbiddenRuleType[] {
  return Object.entries(PACKAGES).map(([from, allowed]) => ({
    name: `packages: ${from}`,
    comment: `${from} may import ${allowed.length > 0 ? `${allowed.join(' and ')} only` : 'no other package'}`,
    severity: 'error',
    from: { path: `^${from}/`, pathNot: TESTS },
    to: { path: OWN_SOURCES, pathNot: [from, ...allowed].map((name) => `^${name}/`) },
  }))
}
