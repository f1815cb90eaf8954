import { existsSync, readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readText } from './deploy-files.ts'

const { workspaces }: { workspaces: string[] } = JSON.parse(readText('package.json'))
const NODE_LINE = readText('.nvmrc').trim()

/** Lists the names in `STEPS=(…)` of `.ci/run`. */
function listCiSteps(): string[] {
  return /^readonly STEPS=\(([^)]+)\)$/m.exec(readText('.ci/run'))![1]!.split(/\s+/)
}

describe('the package', () => {
  test.each(workspaces)('%s has a README with its purpose', (folder) => {
    const [title, blank, purpose] = readText(`${folder}/README.md`).split('\n')
    expect(title).toMatch(/^# \S/)
    expect(blank).toBe('')
    expect(purpose).toMatch(/^[A-Z]/)
  })
})

describe('the hosted checks', () => {
  const { jobs } = parse(readText('.github/workflows/ci.yml'))

  test('run every step of .ci/run once', () => {
    const steps = Object.values<{ strategy: { matrix: { steps: string[] } } }>(jobs).flatMap(({ strategy }) =>
      strategy.matrix.steps.flatMap((words) => words.split(' ')),
    )
    expect(steps.toSorted()).toEqual(listCiSteps().toSorted())
  })

  test('run steps that each have a command in .ci/run', () => {
    const [, body] = /^run_step\(\) \{\n(.+?)^\}/ms.exec(readText('.ci/run'))!
    expect([...body!.matchAll(/^ {4}([a-z-]+)\) /gm)].map(([, name]) => name)).toEqual(listCiSteps())
  })

  test('use the Node version of .nvmrc, as the development container does', () => {
    const images = Object.values<{ container: { image: string } }>(jobs).map(
      ({ container }) => container.image,
    )
    const [, container] = /^FROM (\S+)$/m.exec(readText('.devcontainer/Dockerfile'))!
    expect(new Set([...images, container])).toEqual(new Set([`node:${NODE_LINE}-bookworm`]))
  })
})

test('npm run test:node covers every Node version that README.md names', () => {
  const [, versions] = /^const VERSIONS = \[(.+)\]$/m.exec(readText('scripts/test-node.mjs'))!
  const tested = [...versions!.matchAll(/\d+/g)].map(([version]) => version)
  const [, named] = /^You need Node (\d+ or \d+)/m.exec(readText('README.md'))!
  expect(tested).toEqual(expect.arrayContaining([...named!.split(' or '), NODE_LINE]))
})

describe('the issue forms', () => {
  const forms = readdirSync(new URL('../.github/ISSUE_TEMPLATE', import.meta.url)).filter(
    (name) => name !== 'config.yml',
  )

  test.each(forms)('include %s, which has a title, and fields with ids and labels', (name) => {
    const { name: title, description, body } = parse(readText(`.github/ISSUE_TEMPLATE/${name}`))
    expect([typeof title, typeof description]).toEqual(['string', 'string'])
    const fields = body.filter(({ type }: { type: string }) => type !== 'markdown')
    const ids = fields.map(({ id }: { id: string }) => id)
    expect(ids.length).toBeGreaterThan(0)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { attributes } of fields) expect(attributes.label).toBeTruthy()
  })

  test('send vulnerability reports to an existing page', () => {
    expect(readText('.github/ISSUE_TEMPLATE/bug.yml')).toContain('SECURITY.md')
    expect(existsSync(new URL('../SECURITY.md', import.meta.url))).toBe(true)
  })
})
