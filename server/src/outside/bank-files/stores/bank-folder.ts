import type { Readable } from 'node:stream'

/** A folder shared with a bank, on a disk or over SFTP. The settings name its subfolders. */
export interface BankFolder {
  /** Lists the files of a folder by name, without hidden and incomplete ones. */
  list(folder: string): Promise<readonly FolderFile[]>
  /** Lists the incomplete versions of a file, which are named by `toPartName`. */
  parts(folder: string, name: string): Promise<readonly string[]>
  /** Opens a file; undefined if it does not exist. */
  open(path: FolderPath): Promise<Readable | undefined>
  exists(path: FolderPath): Promise<boolean>
  /**
   * Writes a complete file, replacing any file with this name. On return, the file is flushed if the storage
   * supports it, and its length has been verified.
   */
  write(path: FolderPath, pieces: AsyncIterable<Piece>): Promise<void>
  /**
   * Renames within the share. Throws `FileNotFound` if the old name no longer exists, or otherwise
   * `FileAlreadyExists` if the new name is taken.
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

export class FileAlreadyExists extends Error {
  override readonly name = 'FileAlreadyExists'

  constructor(fileName: string) {
    super(`The file ${fileName} already exists.`)
  }
}

export class FileNotFound extends Error {
  override readonly name = 'FileNotFound'

  constructor(fileName: string) {
    super(`The file ${fileName} was not found.`)
  }
}

const NAME = /^(?!\.\.?$)[^/\\\p{Cc}]{1,200}$/u
const INCOMPLETE = /^\.|\.(?:part|filepart|tmp|temp)$/i

/** The path of a file inside the share. Throws for a name that leads outside of it. */
export function toFilePath(root: string, { folder, name }: FolderPath): string {
  if (!NAME.test(name))
    throw new Error('The file name contains a slash or a control character, or is too long')
  return `${toFolderPath(root, folder)}/${name}`
}

export function toFolderPath(root: string, folder: string): string {
  if (folder !== '' && !folder.split('/').every((part) => NAME.test(part)))
    throw new Error('The folder name leads outside of the share')
  return folder === '' ? root : `${root}/${folder}`
}

/** True if a bank's file is ready to be read: it is neither hidden nor named like an incomplete file. */
export function isReady(name: string): boolean {
  return NAME.test(name) && !INCOMPLETE.test(name)
}

/**
 * The name of an incomplete file, unique to each attempt, so that a late attempt cannot interfere with
 * another one.
 */
export function toPartName(name: string, attempt: string): string {
  return `.${name}.${attempt}.part`
}

/** Reads the attempt from the name of an incomplete file. */
export function readAttempt(part: string, name: string): string {
  return part.slice(toPartName(name, '').length - '.part'.length, -'.part'.length)
}

/** True if this is an incomplete file of this name. */
export function isPartOf(part: string, name: string): boolean {
  return part.startsWith(`.${name}.`) && part.endsWith('.part')
}
