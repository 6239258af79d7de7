// Cashier of the Store Integration Service: pays what your store owes, the shares of its sales and refunds that are to be
// paid out.
//
// Put this script into an object with a notecard named "cashier" that holds
//
//     service = https://the.address.of.your.service
//     key = sis_live_...
//     limit = the most L$ that it pays a day (of UTC)
//
// The key needs the scope of the preset "cashier". A line "hold = 2" leaves out the shares of sales of so many days, and
// "minimum = 10" those who would get less. See README.md beside this file.

string TITLE = "Cashier";
string VERSION = "0.1.0";
string NOTECARD = "cashier";
string SETTINGS = "service = https://..., key = sis_live_..., limit = L$ a day, hold = days from 0 to 30, minimum = L$";
list SCOPES = ["payouts:pay"];

// The colour of the text above it: red, green and blue, each from 0 to 1.
vector COLOR = <1.0, 1.0, 1.0>;

// ---- Shared: this part is the same in all scripts of this folder, since LSL has no imports. ----

string gService;
string gKey;
string gHover;
integer gLine;
key gLineQuery;
// A letter of another alphabet in the address or the key.
string gOdd;
// When the notecard was put into the object: one that was edited has another time.
string gNotecard;
key gKeyCheck;
list gTold;

// The text above the object, unless the notecard switches it off.
show(string text)
{
    if (gHover == "off") text = "";
    llSetText(text, COLOR, 1.0);
}

// The owner hears each trouble once, offline as well.
complain(string text)
{
    string known = llGetSubString(text, 0, 59);
    if (llListFindList(gTold, [known]) >= 0) return;
    if (llGetListLength(gTold) >= 10) gTold = [];
    gTold += known;
    llInstantMessage(llGetOwner(), TITLE + ": " + text);
}

// A trouble that keeps the object from its work stands above it as well.
stop(string text)
{
    show(TITLE + ": " + text);
    complain(text);
}

// Tells the owner who touches the object the facts that only the virtual world knows.
report(string text)
{
    llOwnerSay(TITLE + " " + VERSION + ": " + text + " Memory: " + (string)llGetUsedMemory() + "; linkset data free: "
        + (string)llLinksetDataAvailable() + ".");
}

// A JSON string. llList2Json is not used: it takes a text such as "[lamp]" for an array.
string quoted(string text)
{
    text = llReplaceSubString(text, "\\", "\\\\", 0);
    text = llReplaceSubString(text, "\"", "\\\"", 0);
    text = llReplaceSubString(text, "\n", " ", 0);
    return "\"" + text + "\"";
}

// A call of the service; NULL_KEY if the region lets no more through now.
key call(string method, string path, string body, list more)
{
    return llHTTPRequest(gService + path, [
        HTTP_METHOD, method,
        HTTP_MIMETYPE, "application/json",
        HTTP_CUSTOM_HEADER, "X-API-Key", gKey
    ] + more, body);
}

// Every live key may ask what it may do. The reason of most refusals does not reach a script, which sees 415 in its place.
askKey()
{
    gKeyCheck = call("GET", "/v1/store", "", []);
}

integer isKeyFault(integer status)
{
    return status == 401 || status == 403 || status == 415;
}

// Says from the answer to askKey what is wrong with the key; empty if nothing is.
string keyFault(integer status, string body)
{
    if (isKeyFault(status))
        return "the service refuses the key, or is busy.";
    string scopes = llJsonGetValue(body, ["key", "scopes"]);
    if (status != 200 || scopes == JSON_INVALID)
        return "no answer (" + (string)status + "). Is the address right?";
    integer i;
    for (i = 0; i < llGetListLength(SCOPES); ++i)
    {
        string scope = llList2String(SCOPES, i);
        if (llSubStringIndex(scopes, quoted(scope)) < 0)
            return "the key lacks " + scope + ". Ask for one with the preset " + NOTECARD + ".";
    }
    return "";
}

// An address or a key without the quotes, brackets, blanks and signs that nobody sees, which people paste along.
string plain(string text)
{
    string left;
    integer at;
    integer code = 1;
    while (code)
    {
        code = llOrd(text, at);
        string sign = llGetSubString(text, at, at);
        if (code > 44 && code < 123 && code != 60 && code != 62) left += sign;
        // A letter of another script may look like one of ours.
        else if (code > 191 && code < 8192) gOdd = sign;
        ++at;
    }
    return left;
}

// A line is blank, a comment that begins with #, or a name, = and a value.
readLine(string line)
{
    line = llStringTrim(line, STRING_TRIM);
    if (line == "" || llGetSubString(line, 0, 0) == "#") return;
    integer equals = llSubStringIndex(line, "=");
    string name = "";
    if (equals > 0) name = llToLower(llStringTrim(llGetSubString(line, 0, equals - 1), STRING_TRIM));
    string value = llStringTrim(llDeleteSubString(line, 0, equals), STRING_TRIM);
    if (name == "service")
    {
        // People copy a slash along, the /v1 of the API's paths, or the address of the desk.
        gService = plain(llList2String(llParseString2List(value + "/", ["/v1/", "/desk/", "/#"], []), 0));
        while (llGetSubString(gService, -1, -1) == "/") gService = llDeleteSubString(gService, -1, -1);
    }
    else if (name == "key") gKey = plain(value);
    else if (name == "hover" && (llToLower(value) == "on" || llToLower(value) == "off")) gHover = llToLower(value);
    else if (!isSetting(name, value))
        complain("line " + (string)(gLine + 1) + " of the notecard is none of " + SETTINGS + ", hover = on or off.");
}

openNotecard()
{
    if (llGetInventoryType(NOTECARD) != INVENTORY_NOTECARD)
    {
        stop("put a notecard named \"" + NOTECARD + "\" into this object.");
        return;
    }
    gNotecard = llGetInventoryAcquireTime(NOTECARD);
    gLineQuery = llGetNotecardLine(NOTECARD, gLine);
    // A line may never come: the timer asks for it again while there is a query.
    llSetTimerEvent(10.0);
}

// Takes a line, and all behind it that the region has at hand: a reset between them would lose the former key. True behind
// the last one, if the notecard is complete and the object may work here.
integer isRead(string line)
{
    while (line != EOF)
    {
        // A longer line is none that it knows, and would take too much memory.
        readLine(llGetSubString(line, 0, 254));
        ++gLine;
        line = llGetNotecardLineSync(NOTECARD, gLine);
        if (line == NAK)
        {
            gLineQuery = llGetNotecardLine(NOTECARD, gLine);
            return FALSE;
        }
    }
    gLineQuery = "";
    if (gOdd) stop("the address or the key has the sign \"" + gOdd + "\" in it.");
    else if (gService == "" || gKey == "") stop("the notecard lacks \"service = ...\" or \"key = ...\".");
    // Without encryption anybody on the way could read the key.
    else if (llToLower(llGetSubString(gService, 0, 7)) != "https://")
        stop("the address in the notecard must begin with https://.");
    // The L$ of the test grid are play money, and nothing that is given there lasts.
    else if (llSubStringIndex(llGetEnv("simulator_hostname"), "aditi") >= 0)
        stop("it works on the main grid alone.");
    else return TRUE;
    gService = "";
    return FALSE;
}

// A new notecard, or the first one. Other contents change without a reset.
integer isOtherNotecard(integer change)
{
    if (!(change & CHANGED_INVENTORY) || llGetInventoryType(NOTECARD) != INVENTORY_NOTECARD) return FALSE;
    return llGetInventoryAcquireTime(NOTECARD) != gNotecard;
}

// ---- End of the shared part. ----

// The service says whom to pay, one payout at a time, and hears how it ended. Each is noted in linkset data before anything
// else happens. All scripts of the linkset share that: so a pass protects each entry, and its name has the cashier's own
// prim: "sis:c:", the prim, ":" and
//
//     n, the claim's Idempotency-Key   a note. Its first letter says how far it is: C a claim that was sent, P a payout whose
//                                      L$ are on their way, R one whose end is known and has to be reported. The Unix time
//                                      follows at which the claim was first sent.
//     d, the date                      the L$ that count for the limit of that UTC day, those that were paid, and to how many
//     s                                how many payouts in a row were not paid
//
// Only a note that was made since the script began, or since its region did, is ever paid. All others are unknown.
string OPEN = "sis:c:";
integer PRIM = 6;
integer KIND = 43;
integer BATCH = 4;

// A search for the next note looks at no more than so many, since a stranger may write any number.
integer LOOK = 320;

// Without so much free linkset data it claims nothing: it could not note it.
integer RESERVE = 2048;

// Seconds after a claim was first sent until which its transfer may begin, until which the service waits for a report, and
// for which it knows the claim again.
integer BEGIN = 290;
integer CLAIMED = 600;
integer KNOWN = 86000;

// Seconds: the wait for an answer or a result, before a transfer that was throttled, between two payouts, until it looks
// again where nothing was to be paid, after which a report that fails keeps nothing else waiting, and the longest pause.
integer PATIENCE = 90;
integer THROTTLE = 30;
integer PACE = 2;
integer REST = 600;
integer STUCK = 3600;
integer LONGEST_PAUSE = 600;
float TICK = 10.0;
integer RETRY = 60;

// After these no L$ have moved.
list SURE = ["INVALID_DESTINATION", "INVALID_AGENT", "INVALID_AMOUNT", "LINDENDOLLAR_ENTITYDOESNOTEXIST", "LINDENDOLLAR_INSUFFICIENTFUNDS",
    "MISSING_PERMISSION_DEBIT", "GROUP_OWNED", "TRANSFERS_DISABLED", "THROTTLED"];

// So many payouts in a row that were not paid stop it.
integer MOST_FAILURES = 3;

string BEFORE = "claimed before a restart, a reset or a copy of the cashier";

// The pass that opens what this cashier notes.
string gPass;
key gOwner;

integer gLimit;
integer gMinimum = 1;
integer gHold = 2;

// The key was tried, and when.
integer gReady;
integer gLookedAt;

// The note that may be paid, and its value, which is worth more than what others left of it in linkset data.
string gLive;
string gValue;

// The transfer under way; when it began, or may begin again; and the entry of the day for which it counts.
key gTransaction = NULL_KEY;
integer gPayAt;
string gPayDay;

// A transfer for whose result it waits no longer: the payout, and its amount.
key gLate = NULL_KEY;
string gLatePayout;
integer gLateAmount;

// The request under way, the note that it is for, and when it was sent.
key gRequest = NULL_KEY;
string gSent;
integer gSentAt;

// The payouts that it paid last, of which the service should name none again.
list gPaid;

// When the next note may be sent, and the next claim be made; and the pause after a failure.
integer gNext;
integer gClaimNext;
integer gPause;

// Notes that are open, the place of the next to look at, and those whose report has failed for long.
integer gOpen;
integer gPlace;
list gStuck;

// Entries that it cannot read, with which it does not work.
integer gUnread;

// Payouts in a row that were not paid.
integer gFailures;

// The entry of the day that it counted last, and its L$.
string gDay;
integer gSpent;

// The notecard is being read. It is another one, while something is under way. The cashier is the only script of its prim.
integer gReading;
integer gStale;
integer gAlone;

integer isSetting(string name, string value)
{
    integer number = (integer)value;
    if ((string)number != value) return FALSE;
    if (name == "limit" && number > 0) gLimit = number;
    else if (name == "minimum" && number > 0) gMinimum = number;
    else if (name == "hold" && number >= 0 && number <= 30) gHold = number;
    else return FALSE;
    return TRUE;
}

askDebit()
{
    llOwnerSay("Cashier: please allow it to pay L$ from your account. It pays what your store owes, and at most L$ "
        + (string)gLimit + " a day.");
    llRequestPermissions(llGetOwner(), PERMISSION_DEBIT);
}

odd(string what, integer status)
{
    complain("the service answered " + (string)status + " to " + what + ". It is noted and sent again. If this stays, tell the operator.");
}

// A text that the viewer shows as the avatar's name.
string link(string avatar)
{
    return "secondlife:///app/agent/" + avatar + "/about";
}

string mine()
{
    return OPEN + (string)llGetKey() + ":";
}

integer keep(string entry, string value)
{
    integer code = llLinksetDataWriteProtected(entry, value, gPass);
    return code == LINKSETDATA_OK || code == LINKSETDATA_NOUPDATE;
}

// A value that was written with the pass; empty for all else. That a pass opens no pair which has none is written nowhere.
string opened(string entry, string pass)
{
    if (llLinksetDataRead(entry) != "") return "";
    return llLinksetDataReadProtected(entry, pass);
}

string kept(string entry)
{
    return opened(entry, gPass);
}

string noted(string note)
{
    if (note == gLive) return gValue;
    return kept(note);
}

integer write(string note, string value)
{
    if (note == gLive) gValue = value;
    return keep(note, value);
}

drop(string note)
{
    llLinksetDataDeleteProtected(note, gPass);
    --gOpen;
    integer at = llListFindList(gStuck, [note]);
    if (at >= 0) gStuck = llDeleteSubList(gStuck, at, at);
    if (note == gLive) gLive = "";
}

string stageOf(string value)
{
    return llGetSubString(value, 0, 0);
}

// When the claim of a note was first sent, and what follows that.
integer sentAt(string value)
{
    return (integer)llGetSubString(value, 1, 10);
}

string restOf(string value)
{
    return llDeleteSubString(value, 0, 10);
}

// Of a payout that is on its way: its UUID, its payee and its amount.
string payoutOf(string value)
{
    return llGetSubString(value, 11, 46);
}

string payeeOf(string value)
{
    return llGetSubString(value, 47, 82);
}

integer amountOf(string value)
{
    return (integer)llGetSubString(value, 83, -1);
}

// L$ are on their way, or wait for the next try.
integer isPaying()
{
    return gLive != "" && stageOf(gValue) == "P";
}

// True for a prim of this object.
integer isHere(string prim)
{
    integer prims = llGetNumberOfPrims();
    if (prims == 1) return prim == (string)llGetKey();
    while (prims > 0 && (string)llGetLinkKey(prims) != prim) --prims;
    return prims > 0;
}

// Counts the notes that are open, and what it cannot read under its own name. A pair without a pass is never one of its own.
count()
{
    gOpen = 0;
    gUnread = 0;
    gStuck = [];
    integer at;
    list page = llLinksetDataFindKeys("^" + mine(), 0, BATCH);
    while (page != [])
    {
        integer i;
        for (i = 0; i < llGetListLength(page); ++i)
        {
            string entry = llList2String(page, i);
            if (kept(entry) == "")
            {
                if (llLinksetDataRead(entry) == "") ++gUnread;
            }
            else if (llGetSubString(entry, KIND, KIND) == "n") ++gOpen;
        }
        at += BATCH;
        page = llLinksetDataFindKeys("^" + mine(), at, BATCH);
    }
}

string today()
{
    return mine() + "d" + llGetDate();
}

integer sumOf(string entry, integer which)
{
    integer sum = llList2Integer(llParseString2List(kept(entry), [","], []), which);
    // Another script may have erased it.
    if (which == 0 && entry == gDay && gSpent > sum) return gSpent;
    return sum;
}

// Adds to the sums of a day. False where they could not be written.
integer add(string entry, integer spent, integer paid, integer payees)
{
    spent += sumOf(entry, 0);
    if (!keep(entry, (string)spent + "," + (string)(paid + sumOf(entry, 1)) + "," + (string)(payees + sumOf(entry, 2)))) return FALSE;
    if (entry == gDay) gSpent = spent;
    return TRUE;
}

// The L$ that the limit leaves for today.
integer left()
{
    return gLimit - sumOf(today(), 0);
}

// Tells its owner what it paid on the days that are over.
tellDays()
{
    string now = today();
    if (now == gDay || isPaying()) return;
    integer at;
    list page = llLinksetDataFindKeys("^" + mine() + "d", 0, BATCH);
    while (page != [])
    {
        integer i;
        for (i = 0; i < llGetListLength(page); ++i)
        {
            string entry = llList2String(page, i);
            if (entry == now || kept(entry) == "") ++at;
            else
            {
                integer paid = sumOf(entry, 1);
                string text = llGetSubString(entry, KIND + 1, -1) + " it paid L$ " + (string)paid + " in " + (string)sumOf(entry, 2) + " payouts.";
                llLinksetDataDeleteProtected(entry, gPass);
                if (paid > 0) llInstantMessage(llGetOwner(), "Cashier: on " + text);
            }
        }
        page = llLinksetDataFindKeys("^" + mine() + "d", at, BATCH);
    }
    gSpent = 0;
    gDay = now;
    gSpent = sumOf(now, 0);
}

setFailures(integer failures)
{
    gFailures = failures;
    keep(mine() + "s", (string)failures);
}

// Writes an entry that the pass opened anew: under this prim's name, and with the pass in force. False where it must stay.
integer isMoved(string entry, string value, string pass)
{
    string kind = llGetSubString(entry, KIND, KIND);
    string name = mine() + llGetSubString(entry, KIND, -1);
    if (kind == "n")
    {
        // A name with a pass keeps it, so the note gets another name, and is never without one.
        if (name == entry) name += "+";
        if (!keep(name, value)) return FALSE;
        llLinksetDataDeleteProtected(entry, pass);
        if (entry == gLive) gLive = name;
        return TRUE;
    }
    list sums = llParseString2List(value, [","], []);
    llLinksetDataDeleteProtected(entry, pass);
    if (kind == "d") add(name, llList2Integer(sums, 0), llList2Integer(sums, 1), llList2Integer(sums, 2));
    else if ((integer)value > gFailures) gFailures = (integer)value;
    return TRUE;
}

// Takes over what a former pass opens, and what prims noted that are gone: it came with a copy of this object, or with one
// that was taken and rezzed. The original may pay it still, so this cashier pays nothing of it.
takeOver(string pass)
{
    integer isChanged = TRUE;
    while (isChanged)
    {
        isChanged = FALSE;
        integer at;
        list page = llLinksetDataFindKeys("^" + OPEN, 0, BATCH);
        while (page != [])
        {
            integer i;
            for (i = 0; i < llGetListLength(page); ++i)
            {
                string entry = llList2String(page, i);
                string prim = llGetSubString(entry, PRIM, PRIM + 35);
                string value = opened(entry, pass);
                integer isTheirs = pass != gPass && prim == (string)llGetKey();
                if (value != "" && (isTheirs || !isHere(prim)))
                {
                    if (isMoved(entry, value, pass)) isChanged = TRUE;
                }
            }
            at += BATCH;
            page = llLinksetDataFindKeys("^" + OPEN, at, BATCH);
        }
    }
}

// Makes itself ready to work with a notecard that is complete.
load()
{
    string former = gPass;
    gPass = llHMAC(gKey, (string)gOwner, "sha256");
    gDay = "";
    gSpent = 0;
    gRequest = NULL_KEY;
    gFailures = (integer)kept(mine() + "s");
    if (former != "" && former != gPass) takeOver(former);
    takeOver(gPass);
    setFailures(gFailures);
    count();
    gNext = 0;
    gClaimNext = 0;
    if (gUnread > 0)
    {
        stop("it cannot read some of its memory (" + (string)gUnread + "): another key, owner or script wrote it. It pays nothing. "
            + "Put the former key back, or the script into a new object.");
        return;
    }
    if (!(llGetPermissions() & PERMISSION_DEBIT)) askDebit();
    lookAgain();
}

// Reads the notecard, once nothing is under way of which the former key must say how it ended.
startOver()
{
    gStale = FALSE;
    gReading = TRUE;
    gReady = FALSE;
    gLine = 0;
    gService = "";
    gKey = "";
    gOdd = "";
    gLimit = 0;
    gMinimum = 1;
    gHold = 2;
    openNotecard();
}

// Notes what another script has erased anew, as far as it knows it.
tellErased()
{
    if (kept(mine() + "s") != "") return;
    complain("another script has erased its memory. What it had claimed becomes unknown. Take that script out of the object.");
    setFailures(gFailures);
    if (gDay != "" && gPass != "") add(gDay, 0, 0, 0);
    if (gLive != "") keep(gLive, gValue);
    count();
}

// Each failure doubles the pause, so that a service in trouble has time.
integer longer(integer pause)
{
    pause = 2 * pause + 20;
    if (pause > LONGEST_PAUSE) return LONGEST_PAUSE;
    return pause;
}

retryLater(string what, integer status)
{
    odd(what, status);
    gPause = longer(gPause);
    // Many that fail together do not come back together.
    gNext = llGetUnixTime() + gPause + (integer)llFrand(0.2 * gPause);
    if (isKeyFault(status) && gService != "") askKey();
}

// True where the service itself has refused, and another try would change nothing. Anybody can answer 404 at a wrong address.
integer isRefused(integer status, string body)
{
    return (status == 400 || status == 404 || status == 422) && llJsonGetValue(body, ["status"]) == (string)status;
}

// Why no L$ may go now; empty if nothing is against it.
string hindrance()
{
    if (gOwner != llGetOwner()) return "it has another owner";
    if (llGetInventoryNumber(INVENTORY_SCRIPT) != 1) return "another script is in its prim";
    if (!(llGetPermissions() & PERMISSION_DEBIT)) return "MISSING_PERMISSION_DEBIT";
    return "";
}

// Notes how a payout ended, so that it is reported until the service has heard it.
conclude(string note, string payout, string result, string more)
{
    string body = "{\"result\":" + quoted(result) + "," + more + "}";
    integer at = llGetUnixTime();
    if (note != "") at = sentAt(noted(note));
    else
    {
        note = mine() + "n" + (string)llGenerateKey();
        ++gOpen;
    }
    write(note, "R" + (string)at + payout + body);
    gNext = 0;
    if (result == "paid")
    {
        setFailures(0);
        gTold = [];
        return;
    }
    setFailures(gFailures + 1);
    if (gFailures == MOST_FAILURES) complain("three payouts in a row were not paid. See what it told you, then touch it to go on.");
}

string errorText(string why)
{
    if (why == "") why = "no reason was given";
    return "\"error\":" + quoted(llGetSubString(why, 0, 90));
}

// Nobody knows whether the L$ arrived, and paying twice would be as wrong as never.
doubt(string note, string payout, string what, string why)
{
    conclude(note, payout, "unknown", errorText(why));
    llInstantMessage(llGetOwner(), "Cashier: nobody knows whether it paid " + what + ": " + why
        + ". Look at your transactions, and let the operator settle payout " + payout + ".");
}

string whatOf(string value)
{
    return "L$ " + (string)amountOf(value) + " to " + link(payeeOf(value));
}

// No L$ have moved, and they are owed again.
fail(string note, string payout, string why)
{
    conclude(note, payout, "failed", errorText(why));
    complain("it could not pay: " + why + ". It is owed again, and tried in an hour at the earliest.");
}

// The transfer under way has ended, or nobody says how.
ended(integer isPaid, string data)
{
    string value = gValue;
    string payout = payoutOf(value);
    integer amount = amountOf(value);
    string transaction = (string)gTransaction;
    integer now = llGetUnixTime();
    gTransaction = NULL_KEY;
    if (isPaid)
    {
        gPaid = llList2List([payout] + gPaid, 0, 3);
        add(gPayDay, 0, amount, 1);
        conclude(gLive, payout, "paid", "\"transactionId\":" + quoted(transaction));
    }
    else if (data == "THROTTLED" && now + THROTTLE - sentAt(value) <= BEGIN) gPayAt = now + THROTTLE;
    else if (llListFindList(SURE, [data]) >= 0)
    {
        add(gPayDay, -amount, 0, 0);
        fail(gLive, payout, data);
    }
    else doubt(gLive, payout, whatOf(value), data);
}

// Begins the transfer of the note that may be paid, or says that it never will.
transfer(integer now)
{
    string why = hindrance();
    if (now - sentAt(gValue) > BEGIN) why = "too late";
    if (why != "")
    {
        add(gPayDay, -amountOf(gValue), 0, 0);
        fail(gLive, payoutOf(gValue), why);
        return;
    }
    gPayAt = now;
    gTransaction = llTransferLindenDollars((key)payeeOf(gValue), amountOf(gValue));
}

// Pays what the service has answered to the claim that may be paid.
pay(string payout, string payee, integer amount, integer now)
{
    if (llListFindList(gPaid, [payout]) >= 0)
    {
        doubt(gLive, payout, "L$ " + (string)amount + " to " + link(payee), "it has paid that before, and the service asks for it again");
        return;
    }
    string why = hindrance();
    integer at = sentAt(gValue);
    if (now - at > BEGIN) why = "the answer to the claim came too late";
    else if (amount > left()) why = "L$ " + (string)amount + " are more than the limit leaves";
    if (why != "")
    {
        fail(gLive, payout, why);
        return;
    }
    // It counts before it is paid, and is noted as paid: so whatever happens next, it pays no more than the limit, and once.
    gPayDay = today();
    integer isCounted = add(gPayDay, amount, 0, 0);
    integer isNoted = write(gLive, "P" + (string)at + payout + payee + (string)amount);
    if (isCounted && isNoted) transfer(now);
    else
    {
        if (isCounted) add(gPayDay, -amount, 0, 0);
        fail(gLive, payout, "its memory is full");
    }
}

claimAnswered(integer status, string body)
{
    integer now = llGetUnixTime();
    string payout = llJsonGetValue(body, ["payout", "id"]);
    string payee = llJsonGetValue(body, ["payout", "residentUuid"]);
    integer amount = (integer)llJsonGetValue(body, ["payout", "amount"]);
    integer isNobody = status == 200 && llJsonValueType(body, ["payout"]) == JSON_NULL;
    if (isNobody || isRefused(status, body))
    {
        if (!isNobody) complain("the service refused a claim: " + llJsonGetValue(body, ["detail"]) + " Tell the operator.");
        gPause = 0;
        gClaimNext = now + REST;
        drop(gSent);
        return;
    }
    integer isValid = status == 200 && amount > 0 && llStringLength(payout) == 36;
    if (isValid)
    {
        isValid = FALSE;
        if ((key)payee) isValid = TRUE;
    }
    if (!isValid)
    {
        retryLater("a claim", status);
        return;
    }
    gPause = 0;
    if (gSent == gLive) pay(payout, payee, amount, now);
    else doubt(gSent, payout, "L$ " + (string)amount + " to " + link(payee), BEFORE);
}

reportAnswered(integer status, string body, string value)
{
    string payout = payoutOf(value);
    string result = llJsonGetValue(llGetSubString(value, 47, -1), ["result"]);
    integer isRefusal = isRefused(status, body);
    if ((status == 200 && llJsonGetValue(body, ["id"]) == payout) || isRefusal)
    {
        gPause = 0;
        gClaimNext = llGetUnixTime() + PACE;
        drop(gSent);
        // That a payout has ended says more than that it is unknown.
        if (isRefusal && result != "unknown")
            llInstantMessage(llGetOwner(), "Cashier: the service did not take the report that payout " + payout + " is " + result + ": "
                + llJsonGetValue(body, ["detail"]) + " Let the operator settle it.");
        return;
    }
    retryLater("a report", status);
    if (llGetUnixTime() - sentAt(value) > STUCK && llListFindList(gStuck, [gSent]) < 0 && llGetListLength(gStuck) < 10) gStuck += gSent;
}

// The next note of which the service must hear, behind the last one, and once around.
string nextNote(integer now)
{
    string pattern = "^" + mine() + "n";
    integer count = llLinksetDataCountFound(pattern);
    integer looked;
    while (looked < count && looked < LOOK)
    {
        if (gPlace >= count) gPlace = 0;
        string note = llList2String(llLinksetDataFindKeys(pattern, gPlace, 1), 0);
        string value = noted(note);
        string stage = stageOf(value);
        integer age = now - sentAt(value);
        ++looked;
        ++gPlace;
        if (stage == "R") return note;
        if (stage == "C" && (age <= CLAIMED || (note == gLive && age <= KNOWN))) return note;
        if (stage == "C")
        {
            // The service has made it unknown, if it has heard of it.
            drop(note);
            --count;
            --gPlace;
        }
        if (stage == "P" && note != gLive)
        {
            doubt(note, payoutOf(value), whatOf(value), BEFORE);
            return note;
        }
    }
    return "";
}

// Notes the next claim, if it may be made.
string newClaim(integer now)
{
    integer most = left();
    if (now < gClaimNext || gOpen > llGetListLength(gStuck) || gStale) return "";
    gClaimNext = now + REST;
    if (gFailures >= MOST_FAILURES || most < gMinimum || hindrance() != "") return "";
    string note = mine() + "n" + (string)llGenerateKey();
    string body = "{\"minimum\":" + (string)gMinimum + ",\"limit\":" + (string)most + ",\"hold\":" + (string)gHold + "}";
    integer isNoted = llLinksetDataAvailable() > RESERVE && add(today(), 0, 0, 0);
    if (isNoted) isNoted = keep(note, "C" + (string)now + body);
    if (!isNoted)
    {
        complain("its memory is full, or another script keeps it from writing. It pays nothing until there is room.");
        return "";
    }
    ++gOpen;
    gLive = note;
    gValue = "C" + (string)now + body;
    return note;
}

// Sends what the service has to hear next.
send(integer now)
{
    string note = "";
    if (now >= gNext && gOpen > 0) note = nextNote(now);
    if (note == "") note = newClaim(now);
    if (note == "") return;
    string value = noted(note);
    gSent = note;
    gSentAt = now;
    if (stageOf(value) == "C")
        gRequest = call("POST", "/v1/payouts/actions/claim", restOf(value),
            [HTTP_CUSTOM_HEADER, "Idempotency-Key", llGetSubString(note, KIND + 1, KIND + 36)]);
    else gRequest = call("POST", "/v1/payouts/" + payoutOf(value) + "/actions/report", llGetSubString(value, 47, -1), []);
}

showState()
{
    string text = "ready.";
    if (gFailures >= MOST_FAILURES) text = "stopped. Its owner may touch it.";
    else if (!(llGetPermissions() & PERMISSION_DEBIT)) text = "it may not pay.";
    else if (left() < gMinimum) text = "the limit of today is reached.";
    show(TITLE + ": " + text);
}

// Takes the next step of what is open.
step()
{
    integer now = llGetUnixTime();
    if (gPass == "" || gReading || gUnread > 0) return;
    tellErased();
    if (gTransaction != NULL_KEY && now - gPayAt > PATIENCE)
    {
        gLate = gTransaction;
        gLatePayout = payoutOf(gValue);
        gLateAmount = amountOf(gValue);
        ended(FALSE, "nobody said how it ended");
    }
    if (isPaying() && gTransaction == NULL_KEY && now >= gPayAt) transfer(now);
    integer isOver = gLive == "" || stageOf(gValue) == "R";
    if (gStale && (isOver || (!isPaying() && now - sentAt(gValue) > BEGIN)))
    {
        startOver();
        return;
    }
    tellDays();
    if (gRequest != NULL_KEY && now - gSentAt > PATIENCE) gRequest = NULL_KEY;
    if (gReady && gRequest == NULL_KEY) send(now);
    if (gReady) showState();
    if (gOpen > 0) llSetTimerEvent(TICK);
    else if (gReady && gClaimNext > now) llSetTimerEvent((float)(gClaimNext - now));
    else llSetTimerEvent((float)RETRY);
}

lookAgain()
{
    gLookedAt = llGetUnixTime();
    llSetTimerEvent(TICK);
    askKey();
}

touchedByOwner()
{
    string text = "it is not ready.";
    if (gPass != "" && !gReading)
    {
        text = "today it paid L$ " + (string)sumOf(today(), 1) + " in " + (string)sumOf(today(), 2) + " payouts. L$ " + (string)left()
            + " of the limit are left. " + (string)gOpen + " payouts are open, and it cannot read " + (string)gUnread + ".";
        if (gFailures >= MOST_FAILURES) text += " It goes on.";
    }
    report(text);
    if (gPass == "" || gReading || gService == "") return;
    if (gUnread > 0)
    {
        load();
        return;
    }
    setFailures(0);
    gTold = [];
    gClaimNext = 0;
    if (!(llGetPermissions() & PERMISSION_DEBIT)) askDebit();
    if (!gReady) lookAgain();
    step();
}

default
{
    state_entry()
    {
        gOwner = llGetOwner();
        gAlone = llGetInventoryNumber(INVENTORY_SCRIPT) == 1;
        gReading = gAlone;
        if (gAlone) openNotecard();
        else stop("take the other script out of this prim: it could read the key.");
    }

    on_rez(integer start)
    {
        llResetScript();
    }

    dataserver(key query, string line)
    {
        if (query != gLineQuery) return;
        integer isComplete = isRead(line);
        if (gLineQuery) return;
        gReading = FALSE;
        if (isComplete && gLimit == 0)
        {
            gService = "";
            stop("the notecard lacks its line \"limit = ...\", with the most L$ that it may pay a day.");
        }
        if (gService != "") load();
    }

    run_time_permissions(integer permissions)
    {
        if (!(permissions & PERMISSION_DEBIT)) complain("without the permission to pay L$ it pays nothing. Touch it to be asked again.");
        gClaimNext = 0;
        step();
    }

    touch_start(integer count)
    {
        integer i;
        for (i = 0; i < count; ++i)
            if (llDetectedKey(i) == llGetOwner()) touchedByOwner();
    }

    http_response(key request, integer status, list metadata, string body)
    {
        if (request == NULL_KEY) return;
        if (request == gRequest)
        {
            gRequest = NULL_KEY;
            string value = noted(gSent);
            if (stageOf(value) == "C") claimAnswered(status, body);
            else if (stageOf(value) == "R") reportAnswered(status, body, value);
            step();
        }
        else if (request == gKeyCheck)
        {
            string fault = keyFault(status, body);
            gReady = fault == "";
            if (gReady) step();
            else stop(fault);
        }
    }

    transaction_result(key id, integer success, string data)
    {
        if (id == NULL_KEY) return;
        if (id == gTransaction) ended(success, data);
        else if (id == gLate && success)
        {
            gLate = NULL_KEY;
            add(gPayDay, 0, gLateAmount, 1);
            conclude("", gLatePayout, "paid", "\"transactionId\":" + quoted((string)id));
        }
        step();
    }

    linkset_data(integer action, string name, string value)
    {
        // Another script has erased all: what was spent today still counts, also if this script is reset next.
        if (action == LINKSETDATA_RESET && gDay != "" && gPass != "") add(gDay, 0, 0, 0);
    }

    timer()
    {
        if (gLineQuery)
        {
            openNotecard();
            return;
        }
        if (gService != "" && !gReady && !gReading && gUnread == 0 && llGetUnixTime() - gLookedAt >= RETRY) lookAgain();
        step();
    }

    changed(integer change)
    {
        if (change & CHANGED_OWNER || (llGetInventoryNumber(INVENTORY_SCRIPT) == 1) != gAlone) llResetScript();
        if (gAlone && isOtherNotecard(change))
        {
            if (gPass == "" || gUnread > 0) startOver();
            else gStale = TRUE;
        }
        if (change & CHANGED_LINK && gPass != "" && !gReading)
        {
            takeOver(gPass);
            count();
        }
        if (change & CHANGED_REGION_START)
        {
            // A payout that it claimed before is paid no more, and one that was under way is never answered.
            gLive = "";
            gTransaction = NULL_KEY;
            gRequest = NULL_KEY;
        }
        step();
    }
}
