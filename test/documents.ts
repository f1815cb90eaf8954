import { posix } from 'node:path'
import type { Source, Violation } from './source-reading.ts'

const ROOMS = [
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
    if (!isInTree(found, tree)) return [`${document.path}: ${target} is not there`]
    const text = path === '' ? document.text : tree.get(found)
    if (heading === undefined || (text && headingsOf(text).includes(heading))) return []
    return [`${document.path}: ${target} is not a heading there`]
  })
}

/**
 * Files named in `code` that are not in the tree. A name that begins with a room is a path from the repository's
 * folder; any other (`pipeline.ts`, `jobs/runner.ts`) is the end of one, so that a folder can move. `<noun>.ts`,
 * `*.test.ts` and `NNNN-name.ts` stand for many files and are skipped.
 */
export function unknownFiles(document: Source, tree: ReadonlyMap<string, string | undefined>): Violation[] {
  const paths = [...tree.keys()]
  return [...outsideOfBlocks(document.text).matchAll(/`([\w./-]+)`/g)].flatMap(([, name]) => {
    const isFromRoot = ROOMS.includes(name!.slice(0, Math.max(0, name!.indexOf('/'))))
    if (name!.includes('NNNN') || !(isFromRoot || /^\w[\w./-]*\.(?:tsx?|mjs)$/.test(name!))) return []
    const isKnown = isFromRoot ? isInTree(name!, tree) : paths.some((path) => `/${path}`.endsWith(`/${name}`))
    return isKnown || isBuilt(name!) ? [] : [`${document.path}: ${name} is not there`]
  })
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

/** The output of `npm run build`. */
function isBuilt(path: string): boolean {
  return /^\w+\/dist\//.test(path)
}
