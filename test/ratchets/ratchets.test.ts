import { describe, expect, test } from 'vitest'
import { findCycles } from '../import-graph.ts'
import { compare, compareSeconds } from './compare.ts'
import { type Measured, measure } from './numbers.ts'
import { PATTERNS } from './patterns.ts'
import type { Tree } from './tree.ts'

const PATH = 'server/src/money/quotes/quotes.ts'

/** A tree with one room and two clean files, plus what a test adds. */
function treeOf(added: Readonly<Record<string, string>> = {}, more: Partial<Tree> = {}): Tree {
  const files = {
    [PATH]: '/** Prices a payment. */\nexport const price = 1 as const\n',
    'server/src/money/quotes/store.ts': 'export const rows = [] satisfies string[]\n',
    'docs/guide.md': '# Guide\n\nRun `npm run check`. See [this page](guide.md#guide).\n',
    ...added,
  }
  return {
    sources: Object.entries(files).map(([path, text]) => ({ path, text })),
    paths: new Set(Object.keys(files)),
    graph: new Map(),
    generated: new Map(),
    scripts: new Set(['check']),
    ...more,
  }
}

/** The numbers that are higher than in the clean tree, by name. */
function raisedBy(tree: Tree): Record<string, number> {
  const clean = new Map(measure(treeOf()).map(({ name, value }) => [name, value]))
  return Object.fromEntries(
    measure(tree).flatMap(({ name, value }) => {
      const more = value - (clean.get(name) ?? 0)
      return more > 0 ? [[name, more]] : []
    }),
  )
}

const raisedByCode = (text: string, path = 'server/src/money/quotes/more.ts') =>
  raisedBy(treeOf({ [path]: text }))

describe('the numbers of the ratchets', () => {
  test('a clean tree has no casts, knots, long functions, dead pointers and strange sentences', () => {
    const inTree = measure(treeOf()).filter(({ name }) => !name.startsWith('rooms'))
    expect(inTree.filter(({ value }) => value !== 0)).toEqual([])
  })

  test.each([
    ['export const a = b as string', 'casts'],
    ['export const a = <string>b', 'casts'],
    ['export const a = b!.c', 'non-null assertions'],
    ['export let a: any', 'any'],
  ])('%s raises the %s', (text, name) => {
    const both = { [`${name} in server/src`]: 1, [`${name} in all packages`]: 1 }
    expect(raisedByCode(text)).toEqual(both)
    expect(raisedByCode(text, 'console/src/page.tsx')).toEqual(
      text.includes('<string>') ? {} : { [`${name} in all packages`]: 1 },
    )
    for (const path of [
      'server/src/money/quotes/more.test.ts',
      'sdk/test/a.ts',
      'bench/src/a.ts',
      'scripts/a.mjs',
    ])
      expect(raisedByCode(text, path)).toEqual({})
  })

  test.each([
    ['function a() {', '}'],
    ['async function a(', ') {}'],
    ['const a = () => {', '}'],
    ['const a = function () {', '}'],
    ['class A {\n  a() {', '}\n}'],
    ['class A {\n  constructor() {', '}\n}'],
    ['class A {\n  get a() {', '}\n}'],
    ['const a = {\n  a() {', '}\n}'],
    ['call(() => [', '])'],
  ])('a function of 61 lines is counted, one of 60 is not: %s … %s', (first, last) => {
    const ofLines = (count: number) => `${first}${'\n'.repeat(count - 1)}${last}\n`
    for (const path of ['server/src/a.ts', 'console/src/page.tsx', 'bench/src/a.ts', 'scripts/a.mjs']) {
      expect(raisedByCode(ofLines(61), path)).toEqual({ 'functions over 60 lines': 1 })
      expect(raisedByCode(ofLines(60), path)).toEqual({})
    }
    for (const path of ['server/src/a.test.ts', 'server/src/a.testing.ts', 'server/test/a.ts'])
      expect(raisedByCode(ofLines(61), path)).toEqual({})
  })

  test('a class, an object and a comment may be longer than a function', () => {
    const text = '\n'.repeat(60)
    expect(
      raisedByCode(`class A {${text}a() {}\n}\nconst a = {${text}a() {}\n}\n/**${text}*/\nfunction a() {}`),
    ).toEqual({})
  })

  test('a file of 400 lines is counted, one of 399 is not', () => {
    expect(raisedByCode('a()\n'.repeat(400))).toEqual({ 'files over 399 lines': 1 })
    expect(raisedByCode('a()\n'.repeat(399))).toEqual({})
  })

  test('a knot is counted once, however many ways its files import each other', () => {
    const graph = new Map([
      ['a.ts', ['b.ts', 'c.ts']],
      ['b.ts', ['c.ts']],
      ['c.ts', ['a.ts', 'd.ts']],
      ['d.ts', []],
      ['e.ts', ['f.ts', 'a.ts']],
      ['f.ts', ['e.ts']],
    ])
    expect(
      findCycles(graph)
        .map((knot) => knot.join(' '))
        .sort(),
    ).toEqual(['a.ts b.ts c.ts', 'e.ts f.ts'])
    expect(raisedBy(treeOf({}, { graph }))).toEqual({ 'knots of files': 2 })
  })

  test('generated lines are counted', () => {
    expect(raisedBy(treeOf({}, { generated: new Map([['docs/api.openapi.json', 7]]) }))).toEqual({
      'lines of generated text in git': 7,
    })
  })

  test.each([
    'See `server/src/money/quotes/gone.ts`.',
    'See `server/src/gone/`.',
    'See [the other guide](gone.md).',
    'See [the heading](guide.md#gone).',
    'Run `npm run gone`.',
    '```sh\nnpm run gone\n```',
  ])('a dead pointer is counted: %s', (text) => {
    expect(raisedBy(treeOf({ 'docs/more.md': text }))).toEqual({ 'dead pointers in documents': 1 })
  })

  test('rooms of one file are counted', () => {
    const one = (tree: Tree) => measure(tree).find(({ name }) => name === 'rooms of one file')?.places
    expect(one(treeOf())).not.toContain('money/quotes')
    expect(one(treeOf({ 'server/src/money/cards/cards.ts': '' }))).toContain('money/cards')
  })
})

const SENTENCES: Readonly<
  Record<string, { text: string; kind: 'comment' | 'string' | 'prose' | 'heading' }>
> = {
  'comment begins with What': { kind: 'comment', text: 'What a call returns.' },
  'comment begins with Whether': { kind: 'comment', text: 'Whether it is open.' },
  'comment begins with Who': { kind: 'comment', text: 'Who may call it.' },
  'comment begins with Where': { kind: 'comment', text: 'Where files are.' },
  'comment begins with How': { kind: 'comment', text: 'How often to ask.' },
  'comment begins with The same': { kind: 'comment', text: 'The same for cards.' },
  'comment begins with As': { kind: 'comment', text: 'As the API shows it.' },
  'comment of more than three sentences': {
    kind: 'comment',
    text: 'One says it. Two says it. Three says it. Four.',
  },
  'sentence begins with What': { kind: 'prose', text: 'What belongs to others is hidden.' },
  'sentence begins with Who': { kind: 'prose', text: 'Who needs more writes a program.' },
  'sentence begins with Whether': { kind: 'string', text: 'Whether the account is open' },
  'sentence begins with Which': { kind: 'prose', text: 'It may fail. Which of them, the response hides.' },
  'description begins with a question word': { kind: 'string', text: 'How often it is read' },
  'heading begins with a question word': { kind: 'heading', text: 'What you get' },
  'where for if': { kind: 'string', text: 'The id, where there is one.' },
  'of its own': { kind: 'comment', text: 'Has a folder of its own.' },
  'goes on': { kind: 'prose', text: 'The payment goes on.' },
  'by itself': { kind: 'prose', text: 'The clock moves by itself.' },
  anew: { kind: 'comment', text: 'Reads it anew.' },
  'under way': { kind: 'comment', text: 'A payment is under way.' },
  'for good': { kind: 'prose', text: 'The card is closed for good.' },
  beside: { kind: 'comment', text: 'A file beside it.' },
  'is answered': { kind: 'prose', text: 'A second call is answered 409.' },
  'answer as a response': { kind: 'prose', text: 'Read the answer of the server.' },
  'that of, those of': { kind: 'comment', text: 'Its limit is that of the platform.' },
  'is not there': { kind: 'string', text: 'The file is not there.' },
  'No such X': { kind: 'string', text: 'No such customer.' },
  'is no X': { kind: 'string', text: 'This is no type.' },
  'there is none': { kind: 'comment', text: 'Undefined if there is none.' },
  'is asked for': { kind: 'comment', text: 'A code is asked for.' },
  'to be had': { kind: 'string', text: 'a statement is not to be had' },
  'look whether': { kind: 'prose', text: 'First look whether it arrived.' },
  'so many, so long': { kind: 'comment', text: 'Returns so many rows.' },
  'members of a record': { kind: 'comment', text: 'Names a member of a record.' },
  texts: { kind: 'comment', text: 'Reads the texts.' },
  'held against': { kind: 'prose', text: 'Statements are held against the books.' },
  shall: { kind: 'prose', text: 'It shall fail.' },
  'in the end': { kind: 'prose', text: 'It works in the end.' },
  'quaint words': { kind: 'prose', text: 'Ask at the desk.' },
  'hand in': { kind: 'prose', text: 'Before you hand it in, read it.' },
  'puts together': { kind: 'prose', text: 'The script puts together all files.' },
  'is said': { kind: 'comment', text: 'Does nothing unless something else is said.' },
  'come to an end': { kind: 'comment', text: 'The run may come to an end.' },
  'at once': { kind: 'comment', text: 'Ends it at once.' },
  'alone for only': { kind: 'prose', text: 'It is for its owner alone.' },
  'without a word': { kind: 'string', text: 'It stopped without a word.' },
  'unfinished work': { kind: 'comment', text: `${'TO'}${'DO'}: later` },
  'type checker switched off': { kind: 'comment', text: `@ts-${'nocheck'}` },
  'message begins with Nobody or There is nothing': { kind: 'string', text: 'There is nothing to see.' },
}

describe('the patterns of strange sentences', () => {
  test('each has an example here', () => {
    expect(Object.keys(SENTENCES).sort()).toEqual(PATTERNS.map(({ name }) => name).sort())
  })

  test.each(Object.entries(SENTENCES))('%s: raises its own number and no other', (name, { kind, text }) => {
    const added = {
      comment: { 'sdk/src/a.ts': `/** ${text} */\nexport const a = 1\n` },
      string: { 'sdk/src/a.ts': `export const a = '${text}'\n` },
      prose: { 'docs/more.md': `# More\n\n${text}\n` },
      heading: { 'docs/more.md': `# ${text}\n` },
    }[kind]
    expect(raisedBy(treeOf(added))).toEqual({ [`sentences: ${name}`]: 1 })
  })

  test.each([
    ["export const a = 'by ' + 'itself'", 0],
    ["export const a = 'anew'", 0],
    ["export const a = 'There is no file.'", 0],
    ["export const a = 'It is made anew'", 1],
    ['export const a = `Made anew at $' + '{time} and anew`', 2],
    ['export const a = <p>Made anew</p>', 1],
    ['// Done by\n// itself.', 1],
    ['/**\n * Done by\n * itself.\n */', 1],
    ["export const a = '// made anew' // and anew", 2],
    ['export const a = /anew \\/\\/ anew/', 0],
    ["import { a } from './made anew.ts'", 0],
  ])('comments, strings and JSX are read, code is not: %j has %i', (text, count) => {
    const raised = Object.values(raisedByCode(text, 'console/src/page.tsx'))
    expect(raised.reduce((sum, value) => sum + value, 0)).toBe(count)
  })

  test('strings of tests, code in documents and short names are not read', () => {
    expect(raisedByCode("test('it is made anew', () => {})", 'sdk/test/a.test.ts')).toEqual({})
    expect(raisedBy(treeOf({ 'docs/more.md': '```\nmade anew\n```\n' }))).toEqual({})
  })

  test.each([
    ['Each file is read alone, and left alone.', 0],
    ['Color alone must not distinguish it, and a report alone changes nothing.', 0],
    ['The payment was made alone or in a batch.', 0],
    ['Those alone that it may use are shown.', 1],
    ['Members alone decide.', 1],
  ])('"alone" is English for "without others", and not for "only": %s', (text, count) => {
    const raised = count === 0 ? {} : { 'sentences: alone for only': count }
    expect(raisedBy(treeOf({ 'docs/more.md': `# More\n\n${text}\n` }))).toEqual(raised)
    expect(raisedBy(treeOf({ 'CHANGELOG.md': `# More\n\n${text}\n` }))).toEqual({})
  })

  test('cells, items and paragraphs of a document are read separately', () => {
    const text = '| made anew |\n|---|\n| Who pays. |\n\n- What is paid.\n- made\n  anew\n'
    expect(raisedBy(treeOf({ 'docs/more.md': text }))).toEqual({
      'sentences: anew': 2,
      'sentences: sentence begins with What': 1,
      'sentences: sentence begins with Who': 1,
    })
  })
})

describe('the comparison with ratchets.json', () => {
  const casts = (value: number, places: string[] = []): Measured => ({
    name: 'casts',
    value,
    advice: 'type it',
    places,
  })

  test('a number that rose fails with advice and its places, and is not recorded', () => {
    const { problems, lowered } = compare([casts(4, ['a.ts:1'])], { casts: 3 })
    expect(problems).toEqual(['casts: was 3, is 4: type it\n  a.ts:1'])
    expect(lowered).toEqual({ casts: 3 })
  })

  test('of many places, the ones in changed files are shown', () => {
    const places = [...Array(19).fill('a.ts:1'), 'b.ts:2']
    const { problems } = compare([casts(20, places)], { casts: 3 }, new Set(['b.ts']))
    expect(problems).toEqual([
      'casts: was 3, is 20: type it\n  b.ts:2\n  all: npm run ratchets -- --list "casts"',
    ])
    expect(compare([casts(20, places)], { casts: 3 }).problems[0]!.split('\n')).toHaveLength(12)
  })

  test('a number that fell fails until it is recorded', () => {
    const { problems, lowered } = compare([casts(2)], { casts: 3 })
    expect(problems).toEqual(['casts: was 3, is 2: run "npm run ratchets" to keep the gain'])
    expect(compare([casts(2)], lowered).problems).toEqual([])
  })

  test('a new number and a removed one fail until they are recorded', () => {
    const { problems, lowered } = compare([casts(2)], { knots: 3 })
    expect(problems).toHaveLength(2)
    expect(compare([casts(2)], lowered).problems).toEqual([])
  })

  test('test seconds may exceed their limit by a quarter, and more on a slow machine', () => {
    expect(compareSeconds({ unit: 50 }, { unit: 40 }, 1)).toEqual([])
    expect(compareSeconds({ unit: 51 }, { unit: 40 }, 1)).toEqual([expect.stringContaining('51')])
    expect(compareSeconds({ unit: 99 }, { unit: 40 }, 2)).toEqual([])
    expect(compareSeconds({ http: 1 }, { unit: 40 }, 1)).toEqual([
      expect.stringContaining('npm run ratchets'),
    ])
  })
})
