import { brokenLinks, unknownFiles, unknownScripts } from '../documents.ts'
import { WINGS } from '../folders.ts'
import { findCycles } from '../import-graph.ts'
import type { Source } from '../source-reading.ts'
import { isTest } from '../source-rules.ts'
import { type CodeCounts, countCode } from './code.ts'
import { PATTERNS, type Pattern } from './patterns.ts'
import { commentsOf, proseOf, type TextBlock } from './texts.ts'
import type { Tree } from './tree.ts'

/** A count that must not rise. */
export interface Measured {
  readonly name: string
  readonly value: number
  /** Advice on how to avoid increasing the count. */
  readonly advice: string
  /** Places in the form `path:line`; for a sentence, followed by its text. */
  readonly places: readonly string[]
}

const FILE_LINES_MAX = 399
const ROOMS_MAX = 14
const PRODUCT = /^(?:contract|server|sdk|cli|console|connectors)\//
/** Not searched, because the patterns would match their own definitions. */
const UNSEARCHED = /^test\/ratchets\//

/** Counts everything, in the order of the file. */
export function measure(tree: Tree): Measured[] {
  const code = tree.sources
    .filter(({ path }) => !path.endsWith('.md'))
    .map((source) => ({ source, counts: countCode(source) }))
  return [
    ...codeNumbers(code),
    ...treeNumbers(tree),
    ...documentNumbers(tree),
    ...sentenceNumbers(tree, code),
  ]
}

type Counted = { readonly source: Source; readonly counts: CodeCounts }

function codeNumbers(code: readonly Counted[]): Measured[] {
  const product = code.filter(({ source: { path } }) => PRODUCT.test(path) && !isTest(path))
  const scopes = [
    ['server/src', product.filter(({ source: { path } }) => path.startsWith('server/src/'))],
    ['all packages', product],
  ] as const
  const countInScopes = (label: string, key: 'casts' | 'nonNulls' | 'anys', advice: string) =>
    scopes.map(([scope, counted]) =>
      toMeasured(
        `${label} in ${scope}`,
        counted.flatMap(({ counts }) => counts[key]),
        advice,
      ),
    )
  return [
    ...countInScopes('casts', 'casts', 'type the value where it comes from, or check it; `as const` is free'),
    ...countInScopes(
      'non-null assertions',
      'nonNulls',
      'return early, throw, or type the row or field as present',
    ),
    ...countInScopes('any', 'anys', 'say what it is, or unknown'),
    toMeasured(
      'functions over 60 lines',
      code.flatMap(({ counts }) => counts.longFunctions),
      'make its steps functions',
    ),
    toMeasured(
      'files over 399 lines',
      code.flatMap(({ source: { path, text } }) =>
        text.split('\n').length - 1 > FILE_LINES_MAX ? [path] : [],
      ),
      'split the file by subject',
    ),
  ]
}

function treeNumbers({ graph, paths, generated }: Tree): Measured[] {
  const filesOf = (room: string) =>
    [...paths].filter((path) => path.startsWith(`server/src/${room}/`) && !isTest(path))
  const rooms = Object.entries(WINGS).map(([wing, names]) => names.map((name) => `${wing}/${name}`))
  const generatedLines = [...generated.values()].reduce((sum, lines) => sum + lines, 0)
  return [
    toMeasured(
      'knots of files',
      findCycles(graph).map((knot) => knot.join(' ')),
      'move what both files need, mostly a type, into a separate file that both import',
    ),
    toMeasured(
      'rooms over 14 in a wing',
      rooms.flatMap((wingRooms) => wingRooms.slice(ROOMS_MAX)),
      'merge rooms that are one thing',
    ),
    toMeasured(
      'rooms of one file',
      rooms.flat().filter((room) => filesOf(room).length < 2),
      'put the file into the room that it belongs to',
    ),
    {
      name: 'lines of generated text in git',
      value: generatedLines,
      advice: 'let the build make it, and ignore it in git',
      places: [...generated].map(([path, lines]) => `${path}: ${lines} lines`),
    },
  ]
}

function documentNumbers({ sources, paths, scripts }: Tree): Measured[] {
  const texts = new Map([...paths].map((path) => [path, undefined] as [string, string | undefined]))
  for (const { path, text } of sources) texts.set(path, text)
  const documents = sources.filter(({ path }) => path.endsWith('.md'))
  return [
    toMeasured(
      'dead pointers in documents',
      documents.flatMap((document) => [
        ...brokenLinks(document, texts),
        ...unknownFiles(document, texts),
        ...unknownScripts(document, scripts),
      ]),
      'name what is there now, or describe it without a path',
    ),
  ]
}

function sentenceNumbers({ sources }: Tree, code: readonly Counted[]): Measured[] {
  const texts = [
    ...code.map(({ source, counts }) => ({
      path: source.path,
      // Strings in tests are mostly data.
      blocks: [...commentsOf(source, counts.literals), ...(isTest(source.path) ? [] : counts.strings)],
    })),
    ...sources
      .filter(({ path }) => path.endsWith('.md'))
      .map((source) => ({ path: source.path, blocks: proseOf(source) })),
  ].filter(({ path }) => !UNSEARCHED.test(path))
  return PATTERNS.map((pattern) =>
    toMeasured(
      `sentences: ${pattern.name}`,
      texts.flatMap(({ path, blocks }) => blocks.flatMap((block) => matchesOf(pattern, path, block))),
      pattern.instead,
    ),
  )
}

function matchesOf(
  { pattern, kinds, unsearched }: Pattern,
  path: string,
  { kind, line, text }: TextBlock,
): string[] {
  if ((kinds && !kinds.includes(kind)) || unsearched?.test(path)) return []
  if (kind === 'string' && !text.includes(' ')) return []
  return [...text.matchAll(pattern)].map(
    ({ index }) => `${path}:${line}: ${text.slice(Math.max(0, index - 30), index + 70)}`,
  )
}

function toMeasured(name: string, places: readonly string[], advice: string): Measured {
  return { name, value: places.length, advice, places }
}
