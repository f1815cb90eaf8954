import type { Readable } from 'node:stream'

/** A folder that a bank shares with us, on a disk or over SFTP. The settings name its subfolders. */
export interface BankFolder {
  /** The files of a folder, sorted by name, without hidden and incomplete ones. */
  list(folder: string): Promise<readonly FolderFile[]>
  /** Incomplete files of a folder that belong to a name, by the names that `partName` gives. */
  parts(folder: string, name: string): Promise<readonly string[]>
  /** Opens a file; undefined if it does not exist. */
  open(path: FolderPath): Promise<Readable | undefined>
  exists(path: FolderPath): Promise<boolean>
  /**
   * Writes a complete file, replacing one of this name. When it returns, the file is as durable as the other
   * side permits: flushed, and of the sent length.
   */
  write(path: FolderPath, pieces: AsyncIterable<Piece>): Promise<void>
  /**
   * Renames within the share. Throws `FileIsMissing` if the old name no longer exists, else `FileIsThere` if
   * the new one is taken.
   */
  rename(from: FolderPath, to: FolderPath): Promise<void>
  /** Removes a file, if it exists. */
  remove(path: FolderPath): Promise<void>
  /** Closes connections. The folder can be used again afterwards. */
  close(): Promise<void>
}

/** A piece of a file: text in UTF-8, or bytes. */
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

/** The path of a file below the root of the share. Throws for a name that would lead elsewhere. */
export function pathBelow(root: string, { folder, name }: FolderPath): string {
  if (!NAME.test(name)) throw new Error('A file name contains a slash or a control character, or is too long')
  return `${folderBelow(root, folder)}/${name}`
}

export function folderBelow(root: string, folder: string): string {
  if (folder !== '' && !folder.split('/').every((part) => NAME.test(part)))
    throw new Error('A folder name leads outside of the share')
  return folder === '' ? root : `${root}/${folder}`
}

/** True if a bank's file is ready to be read: neither hidden nor under a name for incomplete files. */
export function isReady(name: string): boolean {
  return NAME.test(name) && !UNDER_WAY.test(name)
}

/** The name of an incomplete file, unique to each attempt, so that a late one cannot harm another. */
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
