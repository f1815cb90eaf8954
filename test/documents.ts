import { posix } from 'node:path'
import type { Source, Violation } from './source-reading.ts'

/** Top-level folders with which a path may begin. */
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

/** Finds links to a missing file or heading. */
export function brokenLinks(document: Source, tree: ReadonlyMap<string, string | undefined>): Violation[] {
  const prose = removeCodeBlocks(document.text).replace(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target]) => {
    if (/^[a-z]+:/.test(target!)) return []
    const [path = '', heading] = target!.split('#')
    const found = path === '' ? document.path : posix.join(posix.dirname(document.path), path)
    if (!isInTree(found, tree)) return isBuilt(found) ? [] : [`${document.path}: ${target} does not exist`]
    const text = path === '' ? document.text : tree.get(found)
    if (heading === undefined || (text && listAnchors(text).includes(heading))) return []
    return [`${document.path}: ${target} is not a heading of its target`]
  })
}

/**
 * Finds files named in `code` that are not in the tree. A name that begins with a top-level folder is a path
 * from there; one that begins with a wing is a path in `server/src`; any other (`pipeline.ts`,
 * `outbox/job-runner.ts`) is the end of a path. Skips `<noun>.ts`, `*.test.ts` and `NNNN-name.ts`, which
 * stand for many files, and names without a folder in a guide, because the guide's reader saves that file.
 */
export function unknownFiles(document: Source, tree: ReadonlyMap<string, string | undefined>): Violation[] {
  const paths = [...tree.keys()]
  const isGuide = /^docs\/(?!internals\/|decisions\/|specification)/.test(document.path)
  return [...removeCodeBlocks(document.text).matchAll(/`([\w./-]+)`/g)].flatMap(([, name]) => {
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

/** Finds `npm run` scripts in a document that the root package does not have. */
export function unknownScripts(document: Source, scripts: ReadonlySet<string>): Violation[] {
  return [...document.text.matchAll(/\bnpm run (?:-s )?([\w:-]+)/g)].flatMap(([, name]) =>
    scripts.has(name!) ? [] : [`${document.path}: npm run ${name} does not exist`],
  )
}

const NUMBERS = String.raw`\d+(?:\.\d+)*(?:(?:,| and) \d+(?:\.\d+)*)*`

/** Lists the sections that a text refers to, spelled as in the index: `4.7`, `formats 4`, `conventions`. */
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

/**
 * Finds references to a section in a different spelling: `spec 4.7`, `section 4.7` without a named standard,
 * `FORMATS`.
 */
export function strangeReferences({ path, text }: Source): Violation[] {
  const strange =
    /\bspec \d|\bFORMATS(?:\.md\b|[,)])|(?<!\b(?:RFC \d+|WebAuthn|WebAuthn Level \d) )\b[Ss]ection \d+|DESIGN\.md/g
  return [...text.matchAll(strange)].map(([found]) => `${path}: ${found}: write specification or formats`)
}

/** The sections listed in docs/specification-index.md. */
export function listIndexedSections(index: string): string[] {
  return [...index.matchAll(/^\| ((?:formats )?\d+(?:\.\d+)*|conventions) \|/gm)].map(
    ([, section]) => section!,
  )
}

/** The names in `code` in the first column of the tables under a second-level heading. */
export function firstCellsBelow(text: string, heading: string): string[] {
  const [, section = ''] = text.split(`\n## ${heading}\n`)
  const [sectionText = ''] = section.split('\n## ')
  return [...sectionText.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell]) =>
    [...String(cell).matchAll(/`([^`]+)`/g)].map(([, name]) => String(name)),
  )
}

/** Counts words as `wc -w` does. */
export function countWords(text: string): number {
  return text.split(/\s+/).filter(Boolean).length
}

function removeCodeBlocks(text: string): string {
  return text.replace(/^```.*?^```$/gms, '')
}

/** The anchors of headings: in lower case, without punctuation, and with dashes instead of spaces. */
function listAnchors(text: string): string[] {
  return [...removeCodeBlocks(text).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .trim()
      .replaceAll(' ', '-'),
  )
}

function isInTree(path: string, tree: ReadonlyMap<string, string | undefined>): boolean {
  const folder = path.endsWith('/') ? path : `${path}/`
  return tree.has(path) || [...tree.keys()].some((known) => known.startsWith(folder))
}

/** True for a file written by `npm run build`, which is not in git. */
function isBuilt(path: string): boolean {
  return /^(?:\w+\/dist\/|(?:sdk|console)\/src\/generated|docs\/connectors\/(?:connector\.openapi|rails\.schema)\.json)/.test(
    path,
  )
}
