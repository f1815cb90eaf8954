import { isUtf8 } from 'node:buffer'
import { expect, test } from 'vitest'
import { Utf8Check } from './utf8.ts'

function isText(bytes: Uint8Array): boolean {
  const check = new Utf8Check()
  return bytes.every((byte) => check.takes(byte)) && check.isComplete
}

test('UTF-8 is accepted and rejected exactly as by the runtime, for all byte pairs and the limits of longer characters', {
  tags: 'long',
}, () => {
  const edges = [
    0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xff,
  ]
  const cases: number[][] = [[]]
  for (let first = 0; first < 256; first++) {
    cases.push([first])
    for (let second = 0; second < 256; second++) cases.push([first, second])
    for (const second of edges)
      for (const third of edges) {
        cases.push([first, second, third])
        for (const fourth of edges) cases.push([first, second, third, fourth])
      }
  }
  const different = cases.filter((bytes) => isText(Uint8Array.from(bytes)) !== isUtf8(Uint8Array.from(bytes)))
  expect(different).toEqual([])
})
