import { posix } from 'node:path'
import * as customerStates from '@countersign/contract/core/customer-states'
import * as shownStates from '@countersign/contract/core/states'
import ts from 'typescript'
import * as internalStates from '../server/src/db/schema/states.ts'
import { FOLDERS, folderOf } from './folders.ts'
import { at, importsOf, lineOf, lines, parse, type Source, type Violation, visit } from './source-reading.ts'

export type Rule = (source: Source) => Violation[]

/**
 * The only places that may ask the system for the time or for randomness; everything else gets them from Op. The sdk
 * has none: it holds a webhook against the clock of the machine that it runs on.
 */
const TIME_AND_RANDOMNESS_ARE_FROM: readonly string[] = ['server/src/op/app.ts', 'sdk/src/system-clock.ts']

/** The rooms that each room may import. A room that is not named here is free, and so are tests: see `isTest`. */
const ROOMS_IMPORTED_BY: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  server: ['contract'],
  sdk: ['contract'],
  cli: ['contract', 'sdk'],
  console: ['contract', 'sdk'],
  connectors: ['contract'],
  e2e: ['sdk'],
  examples: ['sdk'],
}

/** All rooms, so that a folder of an npm package is not mistaken for one. */
const ROOMS = [
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
  'scripts',
]

/** The folders whose work is SQL, beside each folder's store.ts. Others may call these. */
const SQL_FOLDERS = ['db', 'ledger', 'events', 'jobs', 'signing', 'enclave']

/** What the sdk offers: files that only pass on, by name, what its other files export. */
const SDK_ENTRY = /^sdk\/src\/(?:index|entries\/\w+)\.ts$/

const LINES_MAX = 399
const FUNCTION_LINES_MAX = 60
/** Of a page of the console: what is shown is read in one piece, and formatted to a line for each attribute. */
const PAGE_LINES_MAX = 100

/** Which room may import which, and what of a folder is its own (ARCHITECTURE.md, "The map"). */
export const imports: Rule = (source) => {
  const { path } = source
  const room = roomOf(path)
  const folder = serverFolderOf(path)
  const violations: Violation[] = []
  for (const { specifier, node, file } of importsOf(source)) {
    const report = (what: string) => violations.push(at(file, node, `imports ${specifier}: ${what}`))
    const target = resolve(path, specifier)
    if (target === undefined) {
      const isSchemaLibrary = specifier === 'typebox' || specifier.startsWith('typebox/')
      if (room === 'contract' && !isTest(path) && !isSchemaLibrary)
        report('the contract imports the schema library only')
      continue
    }
    const targetRoom = roomOf(target)
    if (target.startsWith('sdk/src/') && room !== 'sdk' && !SDK_ENTRY.test(target))
      report('the sdk is imported by its entries only')
    if (room === 'sdk' && specifier.startsWith('@countersign/sdk'))
      report('inside the sdk, its files are imported by their path')
    // The settings of a tool may read what they like.
    const allowed = path.endsWith('.config.ts') ? undefined : ROOMS_IMPORTED_BY[room]
    if (allowed && targetRoom !== room && !allowed.includes(targetRoom) && !isTest(path))
      report(`${room} may import ${allowed.length > 0 ? `${allowed.join(' and ')} only` : 'no other room'}`)

    if (!target.startsWith('server/src/') || !path.startsWith('server/src/') || isTest(path)) continue
    const targetFolder = serverFolderOf(target)
    if (targetFolder === 'http' && folder !== 'http' && folder !== 'service')
      report('only service, which puts the service together, may import http')
    if (targetFolder !== folder && /\/store(\.ts)?$/.test(target) && !isSqlFolder(targetFolder))
      report(`the store of ${targetFolder} is its own; call what ${targetFolder} offers`)
  }
  return violations
}

/** Imports run down the list of `folders.ts`: no cycle between folders, types included. */
export const folders: Rule = (source) => {
  const from = folderOf(source.path)
  if (!from || isTest(source.path)) return []
  const order = FOLDERS[from.room] ?? []
  const place = order.indexOf(from.folder)
  if (place < 0) return [`${source.path}:1: the folder ${from.folder} has no place in test/folders.ts`]
  return importsOf(source).flatMap(({ specifier, node, file }) => {
    const target = resolve(source.path, specifier)
    const to = target === undefined ? undefined : folderOf(target)
    if (!to || to.room !== from.room || order.indexOf(to.folder) <= place) return []
    return [
      at(file, node, `imports ${specifier}: ${to.folder} stands above ${from.folder} (test/folders.ts)`),
    ]
  })
}

/** Time, ids and randomness come from Op (ARCHITECTURE.md, "The map"). */
export const timeAndRandomness: Rule = (source) => {
  if (!/^(?:contract|server|sdk)\/src\//.test(source.path)) return []
  if (TIME_AND_RANDOMNESS_ARE_FROM.includes(source.path)) return []
  return visit(source, (node) => {
    if (ts.isPropertyAccessExpression(node)) {
      const owner = node.expression.getText().replace(/^globalThis\./, '')
      if (owner === 'Date' && node.name.text === 'now') return 'Date.now: take the time from Op'
      if (owner === 'Math' && node.name.text === 'random') return 'Math.random: take randomness from Op'
    }
    const isDate = (callee: ts.Node) => callee.getText().replace(/^globalThis\./, '') === 'Date'
    if (ts.isNewExpression(node) && isDate(node.expression) && !node.arguments?.length)
      return 'new Date() without arguments: take the time from Op'
    if (ts.isCallExpression(node) && isDate(node.expression)) return 'Date(): take the time from Op'
    if (ts.isIdentifier(node) && node.text === 'randomUUID') return 'randomUUID: take ids from Op'
    return undefined
  })
}

/** One name for a thing, found where it is: no default exports, no barrels. */
export const namedExports: Rule = (source) => {
  const mayExportDefault = /(?:\.config|\/globalSetup)\.ts$/.test(source.path)
  return visit(source, (node) => {
    const isEntry = SDK_ENTRY.test(source.path)
    const isExport = ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined
    if (isEntry && isExport && !(node.exportClause && ts.isNamedExports(node.exportClause)))
      return 'exports everything: name what it offers'
    if (isExport && !isEntry && !node.isTypeOnly)
      return 'passes on what another file exports: import it from where it is'
    if (mayExportDefault) return undefined
    const isDefault =
      (ts.isExportAssignment(node) && !node.isExportEquals) ||
      (ts.isExportSpecifier(node) && node.name.text === 'default') ||
      (ts.canHaveModifiers(node) &&
        ts.getModifiers(node)?.some((m) => m.kind === ts.SyntaxKind.DefaultKeyword))
    return isDefault ? 'default export: give it a name' : undefined
  })
}

/** Types hold everywhere; the answers that the tests' own HTTP client reads are of every shape. */
export const soundTypes: Rule = (source) => [
  ...visit(source, (node) =>
    node.kind === ts.SyntaxKind.AnyKeyword && source.path !== 'server/test/client.testing.ts'
      ? 'any: say what it is, or unknown'
      : undefined,
  ),
  ...lines(source, /@ts-(?:ignore|nocheck)/, 'switches the type checker off'),
]

export const finished: Rule = (source) =>
  lines(source, /\b(?:TO)DO\b|\b(?:FIX)ME\b/, 'unfinished: do it or drop it')

export const fileSize: Rule = ({ path, text }) => {
  const count = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  return count > LINES_MAX ? [`${path}:${count}: has ${count} lines, ${LINES_MAX} are the most`] : []
}

/** A function is read at a glance, from its first line to its last. Tests may tell long stories. */
export const functionSize: Rule = (source) => {
  if (isTest(source.path)) return []
  const file = parse(source)
  const linesMax = /^console\/.*\.tsx$/.test(source.path) ? PAGE_LINES_MAX : FUNCTION_LINES_MAX
  return visit(source, (node) => {
    if (!ts.isFunctionLike(node) || !('body' in node) || !node.body) return undefined
    const count = lineOf(file, node.end) - lineOf(file, node.getStart(file)) + 1
    return count > linesMax
      ? `a function of ${count} lines, ${linesMax} are the most: make its steps functions`
      : undefined
  })
}

/** HTTP goes out through `outgoing/send.ts`, which knows where it may go and when it has to end. */
export const outgoingHttp: Rule = (source) => {
  const { path } = source
  if (!path.startsWith('server/src/') || isTest(path) || serverFolderOf(path) === 'outgoing') return []
  const violations = visit(source, (node) =>
    ts.isIdentifier(node) && node.text === 'fetch' ? 'fetch: send it through outgoing/send.ts' : undefined,
  )
  for (const { specifier, node, file } of importsOf(source))
    if (HTTP_CLIENTS.test(specifier) && !isTypeImport(node))
      violations.push(at(file, node, `imports ${specifier}: send it through outgoing/send.ts`))
  return violations
}

const HTTP_CLIENTS = /^(?:(?:node:)?(?:https?|http2)|undici|axios|got|node-fetch)$/

function isTypeImport(node: ts.Node): boolean {
  if (ts.isImportTypeNode(node)) return true
  if (!ts.isImportDeclaration(node) || !node.importClause) return false
  const { phaseModifier, name, namedBindings } = node.importClause
  if (phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  return !name && namedBindings?.kind === ts.SyntaxKind.NamedImports
    ? namedBindings.elements.every(({ isTypeOnly }) => isTypeOnly)
    : false
}

/** SQL stands in a folder's store.ts and in the folders whose work it is. */
export const sqlInStores: Rule = (source) => {
  const { path } = source
  if (!path.startsWith('server/src/') || isTest(path) || path.endsWith('/store.ts')) return []
  const folder = serverFolderOf(path)
  if (isSqlFolder(folder)) return []
  return visit(source, (node) => {
    const isText =
      ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateHead(node)
    if (isText && SQL_START.test(node.text)) return 'SQL outside of a store.ts'
    if (ts.isPropertyAccessExpression(node) && SQL_BUILDERS.includes(node.name.text))
      return `${node.name.text}: SQL outside of a store.ts`
    return undefined
  })
}

/** A statement's first words; a sentence that begins with "Select" or "Update" is none. */
const SQL_START =
  /^\s*(?:(?:SELECT|select)\s|(?:INSERT|insert)\s+(?:INTO|into)\s|(?:UPDATE|update)\s+\S+\s+(?:SET|set)\s|(?:DELETE|delete)\s+(?:FROM|from)\s|(?:WITH|with)\s+\w+\s+(?:AS|as)\s+)/
const SQL_BUILDERS = ['selectFrom', 'insertInto', 'updateTable', 'deleteFrom', 'replaceInto', 'mergeInto']

/** What goes through HTTP is tested in server/test, by the folder that it tests; a test beside a file is of that file alone. */
export const testAddresses: Rule = (source) => {
  const { path } = source
  if (/^server\/test\/.*\.test\.ts$/.test(path)) {
    const [, folder] = /^server\/test\/([^/]+)\/[^/]+$/.exec(path) ?? []
    const isKnown = folder !== undefined && (TESTED_BESIDES.includes(folder) || isServerFolder(folder))
    return isKnown ? [] : [`${path}:1: belongs in server/test/<folder of server/src>/`]
  }
  if (!/^server\/src\/.*\.test\.ts$/.test(path)) return []
  return importsOf(source)
    .filter(({ specifier }) => resolve(path, specifier)?.startsWith('server/test/'))
    .map(({ specifier, node, file }) =>
      at(file, node, `imports ${specifier}: a test through the service belongs in server/test/<folder>/`),
    )
}

/** What is tested of the whole server: its behaviour where processes and databases fail. */
const TESTED_BESIDES = ['reliability']

function isServerFolder(name: string): boolean {
  return (FOLDERS['server/src'] ?? []).some((folder) => folder === name || folder.startsWith(`${name}/`))
}

/**
 * A state is written as its table has it, in which editing a cell then changes what happens. What is asked for or expected
 * may be named.
 */
export const statesFromTables: Rule = (source) => {
  if (!source.path.startsWith('server/src/') || isTest(source.path)) return []
  return visit(source, (node) => {
    const given = givenToState(node)
    const state = given && !isAskedFor(node) ? literalsOf(given).find((one) => STATES.has(one)) : undefined
    return state === undefined ? undefined : `'${state}' as a state: take it from its table`
  })
}

const STATES = new Set(
  Object.entries({ ...shownStates, ...customerStates, ...internalStates })
    .filter(([name]) => name.endsWith('_TRANSITIONS'))
    .flatMap(([, transitions]) => Object.keys(transitions)),
)
const STATE_NAMES = /^(?:state|status|pull_state|verification_status)$/

/** What a member or a variable that is named like a column of states is given. */
function givenToState(node: ts.Node): ts.Expression | undefined {
  if (ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node))
    return STATE_NAMES.test(node.name.getText().replace(/^['"]|['"]$/g, '')) ? node.initializer : undefined
  const isSet = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken
  return isSet && STATE_NAMES.test(/\w*$/.exec(node.left.getText())![0]) ? node.right : undefined
}

/** The strings that an expression can come to. */
function literalsOf(node: ts.Expression): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text]
  if (ts.isConditionalExpression(node)) return [...literalsOf(node.whenTrue), ...literalsOf(node.whenFalse)]
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node))
    return literalsOf(node.expression)
  const isEither = ts.isBinaryExpression(node) && EITHER.includes(node.operatorToken.kind)
  return isEither ? [...literalsOf(node.left), ...literalsOf(node.right)] : []
}

const EITHER = [
  ts.SyntaxKind.QuestionQuestionToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.AmpersandAmpersandToken,
]

/** Whether it is among what a read asks for, or a row is expected to be. */
function isAskedFor(node: ts.Node): boolean {
  for (let at = node.parent; at && !ts.isFunctionLike(at); at = at.parent)
    if (ts.isCallExpression(at) && /^(?:select\w*|expectRow)$/.test(at.expression.getText())) return true
  return false
}

export const RULES: Readonly<Record<string, Rule>> = {
  imports,
  folders,
  timeAndRandomness,
  namedExports,
  soundTypes,
  finished,
  fileSize,
  functionSize,
  outgoingHttp,
  sqlInStores,
  testAddresses,
  statesFromTables,
}

/** Tests, and the settings of their runs, may use every room: they drive the service through the sdk. */
export function isTest(path: string): boolean {
  return /(?:\.(?:test|testing)|\/vitest\.config)\.tsx?$/.test(path) || /^\w+\/test\//.test(path)
}

function roomOf(path: string): string {
  return path.slice(0, Math.max(0, path.indexOf('/')))
}

/** The folder directly under server/src, or undefined for a file outside of one. */
function serverFolderOf(path: string): string | undefined {
  return /^server\/src\/([^/]+)\//.exec(path)?.[1]
}

function isSqlFolder(folder: string | undefined): boolean {
  return folder !== undefined && SQL_FOLDERS.includes(folder)
}

/** The file in the tree that an import means, or undefined for a package. */
export function resolve(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier)
  const [, room, rest] = /^@countersign\/([^/]+)(?:\/(.+))?$/.exec(specifier) ?? []
  if (room === undefined || !ROOMS.includes(room)) return undefined
  if (specifier.endsWith('.css')) return undefined
  if (room === 'sdk') return rest === undefined ? 'sdk/src/index.ts' : `sdk/src/entries/${rest}.ts`
  // A connector is a folder of the room itself, for people to copy.
  return `${room}/${room === 'connectors' ? '' : 'src/'}${rest ?? 'index'}.ts`
}
