import { posix } from 'node:path'
import type { Source, Violation } from './source-reading.ts'

/** Folders of the repository that a path may begin with. */
const TOP_FOLDERS = [
  'contract',
  'server',
  'sdk',
  'cli',
  'console',
  'connectors',
  'contracts',
  'e2e',
  'examples',
  'bench',
  'sim',
  'deploy',
  'docs',
  'scripts',
  'test',
  '.ci',
]

/** Dangling links to a file of the tree or to a heading. */
export function brokenLinks(document: Source, tree: ReadonlyMap<string, string | undefined>): Violation[] {
  const prose = outsideOfBlocks(document.text).replace(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target]) => {
    if (/^[a-z]+:/.test(target!)) return []
    const [path = '', heading] = target!.split('#')
    const found = path === '' ? document.path : posix.join(posix.dirname(document.path), path)
    if (!isInTree(found, tree)) return isBuilt(found) ? [] : [`${document.path}: ${target} does not exist`]
    const text = path === '' ? document.text : tree.get(found)
    if (heading === undefined || (text && headingsOf(text).includes(heading))) return []
    return [`${document.path}: ${target} is not a heading of its target`]
  })
}

/**
 * Files named in `code` that are not in the tree. A name that begins with a folder of the repository is a path from there, one
 * that begins with a wing a path in `server/src`; any other (`pipeline.ts`, `outbox/job-runner.ts`) is the end of a path.
 * `<noun>.ts`, `*.test.ts` and `NNNN-name.ts` stand for many files and are skipped, and so is a name without a folder in a
 * guide: its reader saves that file.
 */
export function unknownFiles(document: Source, tree: ReadonlyMap<string, string | undefined>): Violation[] {
  const paths = [...tree.keys()]
  const isGuide = /^docs\/(?!internals\/|decisions\/|specification)/.test(document.path)
  return [...outsideOfBlocks(document.text).matchAll(/`([\w./-]+)`/g)].flatMap(([, name]) => {
    const top = name!.slice(0, Math.max(0, name!.indexOf('/')))
    if (isGuide && !name!.includes('/')) return []
    const isFromRoot = TOP_FOLDERS.includes(top)
    const isFromWing = top !== '' && !isFromRoot && isInTree(`server/src/${top}`, tree)
    const isFile = /^\w[\w./-]*\.(?:tsx?|mjs)$/.test(name!)
    if (name!.includes('NNNN') || !(isFromRoot || isFromWing || isFile)) return []
    const isKnown =
      (isFromRoot && isInTree(name!, tree)) ||
      (isFromWing && isInTree(`server/src/${name}`, tree)) ||
      (isFile && paths.some((path) => `/${path}`.endsWith(`/${name}`)))
    return isKnown || isBuilt(name!) ? [] : [`${document.path}: ${name} does not exist`]
  })
}

/** Scripts that a document runs by `npm run` and that the root package does not have. */
export function unknownScripts(document: Source, scripts: ReadonlySet<string>): Violation[] {
  return [...document.text.matchAll(/\bnpm run (?:-s )?([\w:-]+)/g)].flatMap(([, name]) =>
    scripts.has(name!) ? [] : [`${document.path}: npm run ${name} does not exist`],
  )
}

const NUMBERS = String.raw`\d+(?:\.\d+)*(?:(?:,| and) \d+(?:\.\d+)*)*`

/** The sections that a text refers to, spelled as in the index: `4.7`, `formats 4`, `conventions`. */
export function sectionsIn(text: string): string[] {
  const running = text.replace(/\n[ \t]*(?:\*|\/\/|>)?[ \t]*/g, ' ')
  const references = running.matchAll(
    new RegExp(`\\b(specification|formats)(?:,? (conventions)| (${NUMBERS}))`, 'g'),
  )
  return [...references].flatMap(([, which, conventions, numbers]) =>
    conventions
      ? [conventions]
      : numbers!.split(/, | and /).map((number) => (which === 'formats' ? `formats ${number}` : number)),
  )
}

/** References to a section in another spelling: `spec 4.7`, `section 4.7` of no named standard, `FORMATS`. */
export function strangeReferences({ path, text }: Source): Violation[] {
  const strange =
    /\bspec \d|\bFORMATS(?:\.md\b|[,)])|(?<!\b(?:RFC \d+|WebAuthn|WebAuthn Level \d) )\b[Ss]ection \d+|DESIGN\.md/g
  return [...text.matchAll(strange)].map(([found]) => `${path}: ${found}: write specification or formats`)
}

/** The sections that have a line in docs/specification-index.md. */
export function sectionsOfIndex(index: string): string[] {
  return [...index.matchAll(/^\| ((?:formats )?\d+(?:\.\d+)*|conventions) \|/gm)].map(
    ([, section]) => section!,
  )
}

/** The names in `code` in the first column of the tables below a heading of the second level. */
export function firstCellsBelow(text: string, heading: string): string[] {
  const [, section = ''] = text.split(`\n## ${heading}\n`)
  const [own = ''] = section.split('\n## ')
  return [...own.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell]) =>
    [...String(cell).matchAll(/`([^`]+)`/g)].map(([, name]) => String(name)),
  )
}

/** Counts as `wc -w` does. */
export function wordsOf(text: string): number {
  return text.split(/\s+/).filter(Boolean).length
}

function outsideOfBlocks(text: string): string {
  return text.replace(/^```.*?^```$/gms, '')
}

/** Headings as links name them: in lower case, with dashes for spaces and without punctuation. */
function headingsOf(text: string): string[] {
  return [...outsideOfBlocks(text).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .trim()
      .replaceAll(' ', '-'),
  )
}

function isInTree(path: string, tree: ReadonlyMap<string, string | undefined>): boolean {
  const folder = path.endsWith('/') ? path : `${path}/`
  return tree.has(path) || [...tree.keys()].some((one) => one.startsWith(folder))
}

/** Written by `npm run build`, and not in git. */
function isBuilt(path: string): boolean {
  return /^(?:\w+\/dist\/|(?:sdk|console)\/src\/generated|docs\/connectors\/(?:connector\.openapi|rails\.schema)\.json)/.test(
    path,
  )
}
