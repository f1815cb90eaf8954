import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = new URL('../', import.meta.url)

async function readPrograms(language: string): Promise<string> {
  const folder = new URL(`e2e/generated-clients/languages/${language}/`, root)
  const files = (await readdir(folder)).filter((name) => /\.(?:go|java|py)$/.test(name))
  const texts = await Promise.all(files.map((name) => readFile(fileURLToPath(new URL(name, folder)), 'utf8')))
  return texts.join('\n')
}

test.each(['go', 'java', 'python'])(
  'the guide to generated clients shows only tested code in %s',
  async (language) => {
    const guide = await readFile(fileURLToPath(new URL('docs/generated-clients.md', root)), 'utf8')
    const blocks = [...guide.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\\n\`\`\``, 'gs'))].map(
      ([, code]) => code,
    )
    expect(blocks.length).toBeGreaterThanOrEqual(3)
    const programs = await readPrograms(language)
    for (const block of blocks) expect(programs).toContain(block)
  },
)
