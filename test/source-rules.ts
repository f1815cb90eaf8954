import * as agentStates from '@countersign/contract/states/agent-states'
import * as cardStates from '@countersign/contract/states/card-states'
import * as customerStates from '@countersign/contract/states/customer-states'
import * as deliveryStates from '@countersign/contract/states/delivery-states'
import * as paymentStates from '@countersign/contract/states/payment-states'
import ts from 'typescript'
import * as internalStates from '../server/src/storage/rows/states.ts'
import { WINGS } from './folders.ts'
import { type Source, type Violation, visit } from './source-reading.ts'

export type Rule = (source: Source) => Violation[]

/**
 * The only places that may read the time or randomness from the system. Everything else gets them from Op.
 * The sdk has no Op: it compares a webhook's time with its own machine's clock.
 */
const TIME_AND_RANDOMNESS_ARE_FROM: readonly string[] = [
  'server/src/kernel/operation/app.ts',
  'sdk/src/time/system-clock.ts',
]

/** Folders that may contain SQL in addition to each folder's store.ts. Others may call them. */
const SQL_FOLDERS = ['kernel/ledger', 'kernel/outbox', 'kernel/signing', 'kernel/enclave']

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

/**
 * The global `fetch` has neither allowed destinations nor a deadline. The rules for importing HTTP clients
 * are in import-rules.ts.
 */
export const outgoingHttp: Rule = (source) => {
  const { path } = source
  if (!path.startsWith('server/src/') || isTest(path) || roomOf(path) === 'base/http-client') return []
  return visit(source, (node) =>
    ts.isIdentifier(node) && node.text === 'fetch'
      ? 'fetch: send it through base/http-client/send.ts'
      : undefined,
  )
}

/** SQL belongs in a folder's store.ts, and in the folders whose work it is. */
export const sqlInStores: Rule = (source) => {
  const { path } = source
  if (!path.startsWith('server/src/') || isTest(path) || /[/-]store\.ts$/.test(path)) return []
  const folder = roomOf(path)
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

/** Matches the beginning of a statement, but not of a sentence that begins with "Select" or "Update". */
const SQL_START =
  /^\s*(?:(?:SELECT|select)\s|(?:INSERT|insert)\s+(?:INTO|into)\s|(?:UPDATE|update)\s+\S+\s+(?:SET|set)\s|(?:DELETE|delete)\s+(?:FROM|from)\s|(?:WITH|with)\s+\w+\s+(?:AS|as)\s+)/
const SQL_BUILDERS = ['selectFrom', 'insertInto', 'updateTable', 'deleteFrom', 'replaceInto', 'mergeInto']

/**
 * A test that goes through the service belongs in server/test, in the folder of the room that it tests,
 * unless it tests all rooms.
 */
export const testAddresses: Rule = ({ path }) => {
  const [, folder] = /^server\/test\/(.*)\/[^/]+\.test\.ts$/.exec(path) ?? []
  if (!/^server\/test\/.*\.test\.ts$/.test(path)) return []
  const isRoom = Object.entries(WINGS).some(([wing, rooms]) =>
    rooms.some((room) => `${wing}/${room}` === folder),
  )
  return isRoom || folder === 'reliability' || folder === 'walks'
    ? []
    : [`${path}:1: belongs in server/test/<wing>/<room>/`]
}

/**
 * A browser test that waits for the next page's heading must match it exactly. Without `exact`, the previous
 * page's heading also matches if it contains the name.
 */
export const exactHeadings: Rule = (source) => {
  if (!/^e2e\/console(?:\/|\.testing)/.test(source.path)) return []
  return visit(source, (node) => {
    if (!ts.isCallExpression(node) || !node.expression.getText().endsWith('.getByRole')) return undefined
    const [role, options] = node.arguments.map((argument) => argument.getText())
    if (role !== "'heading'" || !options || !/\blevel: 1\b/.test(options) || !/\bname\b/.test(options))
      return undefined
    return /\bexact: true\b/.test(options) ? undefined : 'a heading of level 1 by name: add `exact: true`'
  })
}

/**
 * States must come from their tables, so that editing a table changes the behavior. Reads and expected rows
 * may name states.
 */
export const statesFromTables: Rule = (source) => {
  if (!source.path.startsWith('server/src/') || isTest(source.path)) return []
  return visit(source, (node) => {
    const value = findStateValue(node)
    const state =
      value && !isInRead(node) ? listLiterals(value).find((literal) => STATES.has(literal)) : undefined
    return state === undefined ? undefined : `'${state}' as a state: take it from its table`
  })
}

const STATES = new Set(
  Object.entries({
    ...agentStates,
    ...cardStates,
    ...customerStates,
    ...deliveryStates,
    ...paymentStates,
    ...internalStates,
  })
    .filter(([name]) => name.endsWith('_TRANSITIONS'))
    .flatMap(([, transitions]) => Object.keys(transitions)),
)
const STATE_NAMES = /^(?:state|status|pull_state|verification_status)$/

/** The value assigned to a property or variable that is named like a state column. */
function findStateValue(node: ts.Node): ts.Expression | undefined {
  if (ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node))
    return STATE_NAMES.test(node.name.getText().replace(/^['"]|['"]$/g, '')) ? node.initializer : undefined
  const isSet = ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken
  return isSet && STATE_NAMES.test(/\w*$/.exec(node.left.getText())![0]) ? node.right : undefined
}

/** The string literals that an expression can evaluate to. */
function listLiterals(node: ts.Expression): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text]
  if (ts.isConditionalExpression(node))
    return [...listLiterals(node.whenTrue), ...listLiterals(node.whenFalse)]
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node))
    return listLiterals(node.expression)
  const isEither = ts.isBinaryExpression(node) && EITHER_OPERATORS.includes(node.operatorToken.kind)
  return isEither ? [...listLiterals(node.left), ...listLiterals(node.right)] : []
}

const EITHER_OPERATORS = [
  ts.SyntaxKind.QuestionQuestionToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.AmpersandAmpersandToken,
]

/** True inside the arguments of a read or an expected row. */
function isInRead(node: ts.Node): boolean {
  for (let at = node.parent; at && !ts.isFunctionLike(at); at = at.parent)
    if (ts.isCallExpression(at) && /^(?:select\w*|expectRow)$/.test(at.expression.getText())) return true
  return false
}

export const RULES: Readonly<Record<string, Rule>> = {
  timeAndRandomness,
  outgoingHttp,
  sqlInStores,
  testAddresses,
  exactHeadings,
  statesFromTables,
}

/**
 * True for tests and test configurations. They may use every room, because they drive the service through the
 * sdk.
 */
export function isTest(path: string): boolean {
  return /(?:\.(?:test|testing)|\/vitest\.config)\.tsx?$/.test(path) || /^\w+\/test\//.test(path)
}

/** The wing and room of a file in server/src. Undefined for a file outside a room. */
function roomOf(path: string): string | undefined {
  return /^server\/src\/([^/]+\/[^/]+)\//.exec(path)?.[1]
}

function isSqlFolder(folder: string | undefined): boolean {
  return folder !== undefined && (folder.startsWith('storage/') || SQL_FOLDERS.includes(folder))
}
