import type { Readable } from 'node:stream'

/** A folder shared with a bank, on a disk or over SFTP. The settings name its subfolders. */
export interface BankFolder {
  /** Lists the files of a folder by name, without hidden and incomplete ones. */
  list(folder: string): Promise<readonly FolderFile[]>
  /** Lists the incomplete versions of a file, named as by `partName`. */
  parts(folder: string, name: string): Promise<readonly string[]>
  /** Opens a file; undefined if it does not exist. */
  open(path: FolderPath): Promise<Readable | undefined>
  exists(path: FolderPath): Promise<boolean>
  /**
   * Writes a complete file, replacing any file with this name. On return, the file is as durable as the
   * storage allows: flushed, and of the length that was sent.
   */
  write(path: FolderPath, pieces: AsyncIterable<Piece>): Promise<void>
  /**
   * Renames within the share. Throws `FileIsMissing` if the old name no longer exists, or otherwise
   * `FileIsThere` if the new name is taken.
   */
  rename(from: FolderPath, to: FolderPath): Promise<void>
  /** Removes a file if it exists. */
  remove(path: FolderPath): Promise<void>
  /** Closes connections. The folder can be used again afterwards. */
  close(): Promise<void>
}

/** A chunk of a file: UTF-8 text, or bytes. */
export type Piece = string | Uint8Array

export interface FolderPath {
  readonly folder: string
  readonly name: string
}

export interface FolderFile {
  readonly name: string
  readonly bytes: number
}

export class FileIsThere extends Error {
  override readonly name = 'FileIsThere'
}

export class FileIsMissing extends Error {
  override readonly name = 'FileIsMissing'
}

const NAME = /^(?!\.\.?$)[^/\\\p{Cc}]{1,200}$/u
const UNDER_WAY = /^\.|\.(?:part|filepart|tmp|temp)$/i

/** The path of a file inside the root of the share. Throws for a name that would lead outside. */
export function pathBelow(root: string, { folder, name }: FolderPath): string {
  if (!NAME.test(name)) throw new Error('A file name contains a slash or a control character, or is too long')
  return `${folderBelow(root, folder)}/${name}`
}

export function folderBelow(root: string, folder: string): string {
  if (folder !== '' && !folder.split('/').every((part) => NAME.test(part)))
    throw new Error('A folder name leads outside of the share')
  return folder === '' ? root : `${root}/${folder}`
}

/** True if a bank's file is ready to be read: it is neither hidden nor named like an incomplete file. */
export function isReady(name: string): boolean {
  return NAME.test(name) && !UNDER_WAY.test(name)
}

/**
 * The name of an incomplete file. It is unique to each attempt, so that a late attempt cannot interfere with
 * another.
 */
export function partName(name: string, attempt: string): string {
  return `.${name}.${attempt}.part`
}

/** The attempt in the name of an incomplete file. */
export function attemptOf(part: string, name: string): string {
  return part.slice(partName(name, '').length - '.part'.length, -'.part'.length)
}

/** True if this is an incomplete file of this name. */
export function isPartOf(part: string, name: string): boolean {
  return part.startsWith(`.${name}.`) && part.endsWith('.part')
}
