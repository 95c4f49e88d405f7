import type { OwnerSession } from "../sign-in/sign-in-service.ts";

/** Runs and adds the live sources of signed-in owners. `packages/collecting` implements it. */
export interface SourceService {
  /** The sources that can be added by a form. */
  readonly kinds: readonly SourceForm[];
  /** Returns the id of the new source, which is collected at once. */
  add(session: OwnerSession, kind: string, source: NewSource): Promise<string>;
  /** The fields of the source's credentials; none if this server cannot store them. */
  listCredentialFields(session: OwnerSession, sourceId: string): Promise<readonly FormField[]>;
  /** Replaces the credentials, and collects the source. */
  renewCredentials(session: OwnerSession, sourceId: string, values: FormValues): Promise<void>;
  /** A run of this server; undefined if another process, or none, collects the source. */
  getActivity(session: OwnerSession, sourceId: string): SourceActivity | undefined;
  /** Starts a run that may ask the owner. Resolves once it has started. */
  run(session: OwnerSession, sourceId: string, isFull: boolean): Promise<void>;
  /** Ends a run of this server. Stored records stay. */
  cancel(session: OwnerSession, sourceId: string): Promise<void>;
  /** Passes an answer on, or declines if there are no values. Throws if the question is no longer open. */
  answer(session: OwnerSession, sourceId: string, questionId: string, values: FormValues | undefined): Promise<void>;
}

export interface NewSource {
  /** Its name in the vault; the connector's name if it is empty. */
  readonly label: string;
  readonly values: FormValues;
}

export interface SourceForm {
  readonly key: string;
  readonly title: string;
  /** What adding it means, above the buttons. */
  readonly note?: string;
  /** Names a path of the server's own disk, which not every server gives its owners. */
  readonly needsDisk?: true;
  readonly fields: readonly FormField[];
}

export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly description?: string;
  readonly example?: string;
  /** The only values it can have; the first is the default. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  /** Hidden while it is typed, and never shown again. */
  readonly isSecret: boolean;
  readonly isRequired: boolean;
}

export type FormValues = Readonly<Record<string, string>>;

export interface SourceActivity {
  readonly progress?: SourceProgress | undefined;
  readonly question?: SourceQuestion | undefined;
}

export interface SourceProgress {
  readonly message: string;
  readonly count?: number;
  readonly total?: number;
}

export interface SourceQuestion {
  readonly id: string;
  readonly kind: "credentials" | "otp" | "manual_action";
  /** Written by the connector. */
  readonly message: string;
  /** None for an action elsewhere. */
  readonly fields: readonly FormField[];
  readonly expiresAt: number;
}
