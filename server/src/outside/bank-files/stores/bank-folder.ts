import type { Readable } from 'node:stream'

/** A folder that a bank shares with us, on a disk or over SFTP. It has folders below it, named in settings. */
export interface BankFolder {
  /** The files of a folder by name, without those that are hidden or still being written, in the order of their names. */
  list(folder: string): Promise<readonly FolderFile[]>
  /** The files of a folder that were never written whole: those of a name, by the names that `partName` gives. */
  parts(folder: string, name: string): Promise<readonly string[]>
  /** Opens a file; undefined where there is none. */
  open(path: FolderPath): Promise<Readable | undefined>
  exists(path: FolderPath): Promise<boolean>
  /**
   * Writes a file whole, in place of one of this name. When it returns, the file is as durable as the other side lets us make
   * it: flushed, and of the length that was sent.
   */
  write(path: FolderPath, pieces: AsyncIterable<string>): Promise<void>
  /** Renames within the share. Throws `FileIsMissing` where the old name is gone, else `FileIsThere` where the new one is taken. */
  rename(from: FolderPath, to: FolderPath): Promise<void>
  /** Removes a file, if it is there. */
  remove(path: FolderPath): Promise<void>
  /** Lets go of connections. The folder can be used again afterwards. */
  close(): Promise<void>
}

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

/** Where a file is below the root of the share. Throws for a name that would lead elsewhere. */
export function pathBelow(root: string, { folder, name }: FolderPath): string {
  if (!NAME.test(name)) throw new Error('A name of a file has a slash or a control character, or is too long')
  return `${folderBelow(root, folder)}/${name}`
}

export function folderBelow(root: string, folder: string): string {
  if (folder !== '' && !folder.split('/').every((part) => NAME.test(part)))
    throw new Error('A folder has a name that leads elsewhere')
  return folder === '' ? root : `${root}/${folder}`
}

/** Whether a bank's file is ready to be read: neither hidden nor under one of the names of files that are being written. */
export function isReady(name: string): boolean {
  return NAME.test(name) && !UNDER_WAY.test(name)
}

/** Under what a file is written until it is whole: a name of each attempt, so that a late one does no harm to another. */
export function partName(name: string, attempt: string): string {
  return `.${name}.${attempt}.part`
}

/** Whether this is a part of the file of this name. */
export function isPartOf(part: string, name: string): boolean {
  return part.startsWith(`.${name}.`) && part.endsWith('.part')
}
