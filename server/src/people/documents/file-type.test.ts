import { expect, test } from 'vitest'
import { detectFileType } from './file-type.ts'

const hex = (text: string) => Buffer.from(text, 'hex')
const PNG = hex('89504e470d0a1a0a0000000d49484452')
const IEND = hex('0000000049454e44ae426082')

test.each([
  ['a PDF', Buffer.from('%PDF-1.4\n'), Buffer.from('startxref\n9\n%%EOF\r\n'), 'application/pdf'],
  ['a JPEG', hex('ffd8ffe1'), hex('aaffd9'), 'image/jpeg'],
  ['a JPEG with padding after its end', hex('ffd8ffdb'), hex('ffd90000'), 'image/jpeg'],
  ['a PNG', PNG, IEND, 'image/png'],
])('the content of %s is recognized, and a truncated file is reported', (_, head, tail, type) => {
  expect(detectFileType(head, tail)).toEqual({ type, isComplete: true })
  expect(detectFileType(head, Buffer.from('cut'))).toEqual({ type, isComplete: false })
})

test.each([
  ['an empty file', Buffer.alloc(0)],
  ['a GIF', Buffer.from('GIF89a')],
  ['a ZIP', hex('504b0304')],
  ['an HTML page', Buffer.from('<!doctype html><script>')],
  ['a PDF with a leading space', Buffer.from(' %PDF-1.4')],
  ['only the signature of a PNG', PNG.subarray(0, 8)],
  ['half the signature of a JPEG', hex('ffd8')],
])('the content of %s is not recognized as a document', (_, head) => {
  expect(detectFileType(head, IEND)).toBeUndefined()
})
