import { expect, test } from 'vitest'
import { renderCodeBlock } from './code-block.ts'

test.each(['sh', 'console', 'json', 'js', 'ts', 'tsx', 'java', 'go', 'python', 'sql', 'yaml', 'http', 'ini'])(
  'highlighted %s code is escaped, and its text is unchanged',
  (language) => {
    const code = `x = "<b>" & '</code>' # <script>`
    const { text } = renderCodeBlock(code, language)
    expect(text).not.toMatch(/<b>|<script|<\/code>'/)
    const plain = text
      .replace(/<[^>]*>/g, '')
      .replace(
        /&(lt|gt|quot|#39|#x27);/g,
        (_, name: string) => ({ lt: '<', gt: '>', quot: '"' })[name] ?? "'",
      )
      .replaceAll('&amp;', '&')
    expect(plain.trimEnd()).toBe(code)
  },
)

test('code of a known language is highlighted, and code of an unknown language is not', () => {
  expect(renderCodeBlock('{"a": 1}', 'json').text).toContain('<span class="hljs-')
  expect(renderCodeBlock('{"a": 1}', 'unknown').text).not.toContain('<span')
})
