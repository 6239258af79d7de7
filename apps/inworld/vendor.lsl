// Vendor of the Store Integration Service: sells one product for L$ and store credit.
//
// Put this script into an object with a notecard named "vendor" that holds
//
//     service = https://the.address.of.your.service
//     key = sis_live_...
//
// The key needs the scopes of the preset "vendor". The service says what the vendor sells. While it knows no product, a
// line "product = the product's UUID" counts. A line "face = 4" puts the product's picture on that side alone. See
// README.md beside this file.

string TITLE = "Vendor";
string VERSION = "0.1.0";
string NOTECARD = "vendor";
string SETTINGS = "service = https://..., key = sis_live_..., face = 0 to 8";
list SCOPES = ["sales:write", "vendors:register"];

// ---- Shared: this part is the same in cashier.lsl, dispenser.lsl, terminal.lsl and vendor.lsl, since LSL has no imports. ----

string gService;
string gKey;
string gHover;
integer gLine;
key gLineQuery;
string gNotecard;
key gKeyCheck;
list gTold;
string gStatus;

// The text above the object, unless the notecard switches it off.
show(string text)
{
    gStatus = text;
    if (gHover == "off") text = "";
    llSetText(text, <1.0, 1.0, 1.0>, 1.0);
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
    llOwnerSay(TITLE + " " + VERSION + ": " + text + " Memory used: " + (string)llGetUsedMemory() + " bytes; linkset data free: "
        + (string)llLinksetDataAvailable() + " bytes.");
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
        return "the service does not accept the key in the notecard, or is busy. Next try in a minute. If this stays, ask the operator for a new key.";
    string scopes = llJsonGetValue(body, ["key", "scopes"]);
    if (status != 200 || scopes == JSON_INVALID)
        return "the service does not answer (" + (string)status + "). See that the address in the notecard is right. Next try in a minute.";
    integer i;
    for (i = 0; i < llGetListLength(SCOPES); ++i)
    {
        string scope = llList2String(SCOPES, i);
        if (llSubStringIndex(scopes, quoted(scope)) < 0)
            return "the key \"" + llJsonGetValue(body, ["key", "name"]) + "\" lacks the scope " + scope + ". It has " + scopes
                + ". Ask the operator for a key with the preset " + NOTECARD + ".";
    }
    return "";
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
        // People copy a slash along, or the /v1 of the API's paths.
        while (llGetSubString(value, -1, -1) == "/") value = llDeleteSubString(value, -1, -1);
        if (llGetSubString(value, -3, -1) == "/v1") value = llDeleteSubString(value, -3, -1);
        gService = value;
    }
    else if (name == "key") gKey = value;
    else if (name == "hover" && (llToLower(value) == "on" || llToLower(value) == "off")) gHover = llToLower(value);
    else if (!isSetting(name, value))
        complain("it does not understand line " + (string)(gLine + 1) + " of the notecard. It knows " + SETTINGS
            + " and hover = on or off. A comment begins with #.");
}

// An edited notecard has another key, which only an owner with all permissions on it is shown, and another time.
string notecardNow()
{
    return (string)llGetInventoryKey(NOTECARD) + llGetInventoryAcquireTime(NOTECARD);
}

openNotecard()
{
    if (llGetInventoryType(NOTECARD) != INVENTORY_NOTECARD)
    {
        stop("put a notecard named \"" + NOTECARD + "\" into this object.");
        return;
    }
    gNotecard = notecardNow();
    gLineQuery = llGetNotecardLine(NOTECARD, gLine);
}

// Takes a line and asks for the next. True behind the last one, if the notecard is complete and the object may work here.
integer isRead(string line)
{
    if (line != EOF)
    {
        // A longer line is none that it knows, and would take too much memory.
        readLine(llGetSubString(line, 0, 254));
        ++gLine;
        gLineQuery = llGetNotecardLine(NOTECARD, gLine);
        return FALSE;
    }
    if (gService == "" || gKey == "") stop("the notecard lacks its line \"service = ...\" or \"key = ...\".");
    // Without encryption anybody on the way could read the key.
    else if (llToLower(llGetSubString(gService, 0, 7)) != "https://")
        stop("the address of the service must begin with https://. Correct it in the notecard.");
    // The L$ of the test grid are play money, and nothing that is given there lasts.
    else if (llSubStringIndex(llGetEnv("simulator_hostname"), "aditi") >= 0)
        stop("this is not the main grid. Use it there.");
    else return TRUE;
    gService = "";
    return FALSE;
}

// A new notecard, or the first one. Other contents change without a reset.
integer isOtherNotecard(integer change)
{
    if (!(change & CHANGED_INVENTORY) || llGetInventoryType(NOTECARD) != INVENTORY_NOTECARD) return FALSE;
    return notecardNow() != gNotecard;
}

// ---- End of the shared part. ----

// Sales that the service has not answered and L$ that are owed live in linkset data, and survive a reset, a restart of the
// region, and being taken and rezzed. All scripts of the linkset share that: so a pass protects each entry, and its name has
// the vendor's own prim: "sis:v:", the prim, ":" and the sale's id. Its first letter says how far it is: S a sale that the
// service has not answered, X one that came with a copy of the object, O L$ owed to the buyer, P L$ that are on their way.
string OPEN = "sis:v:";
string COPIED = "it was copied, or taken and rezzed";
integer PRIM = 6;
integer SALE = 43;
string MARK = "sis:w:";
integer BATCH = 4;

// A search for the next entry looks at no more than so many, since a stranger may write any number.
integer LOOK = 320;

// Without so much free linkset data the vendor takes no payment: it could not keep the sale.
integer RESERVE = 2048;

// The pass that opens what this vendor keeps, and the owner whom it was made for.
string gPass;
key gOwner;

// Seconds: a quote's life and a menu's, how long a press keeps the menu, and one who had it leaves it to those who were
// refused, the wait for an answer to a sale, the pause of what is open, the least between two registrations for changes, the
// pause before one is tried again, before the next one without an address and with one, and the longest pause after tries
// that failed.
integer SESSION = 120;
integer MENU = 30;
integer OTHERS = 60;
integer PATIENCE = 90;
integer TICK = 20;
integer QUIET = 5;
integer RETRY = 60;
integer REFRESH = 1800;
integer DAY = 86400;
integer LONGEST_PAUSE = 600;

// The longest name that fits into a dialog of 512 bytes, in characters of three bytes.
integer NAME = 120;

// The product, and when its price changes by itself.
string gProduct;
integer gFace = ALL_SIDES;
string gName;
string gDemo;
integer gPrice;
string gRefusal;
string gChangesAt;

// The key was tried, and the service has said what the vendor sells.
integer gReady;

// The address at which the service tells of a change, the registration under way, when it was made, and when the next is
// due.
string gUrl;
key gRegistration;
integer gLookedAt;
integer gNext;

// The answer that is read: a text that is passed on takes its memory twice.
string gAnswer;

// The notecard's product, which counts while the service knows none. Its owner has just written it.
string gChoice;
integer gPicked;

// The avatar who uses the vendor, until when, what they want, and on which terms.
key gBuyer = NULL_KEY;
integer gUntil;
string gWanted;
string gRecipient;
integer gUseCredit;
integer gToPay;
string gQuote;
key gQuoteRequest;
integer gTouchedAt;
integer gChannel;
integer gListen;
string gMenu;

// Who had the menu last, and when somebody was refused for it.
key gLast = NULL_KEY;
integer gRefused;

// The sale under way, and when the next may be sent.
string gSale;
key gSaleRequest = NULL_KEY;
integer gSaleAt;
integer gSaleNext;
integer gSalePause;
integer gSalePlace;

// The same for the L$ under way.
string gPayment;
key gTransaction = NULL_KEY;
integer gPayAt;
integer gPayNext;
integer gPayPause;
integer gPayPlace;

// The last place at which nextEntry looked, and the one at which adopt looks for what other prims noted.
integer gPlace;
integer gOther;

// Entries that are open, the most that it could not read since it began, and of these the ones with names of prims that are
// gone, as it found them the last time and this time.
integer gOpen;
integer gUnread;
integer gStrange;
integer gStranger;

// The notecard is being read. It is another one, while a payment is under way. The vendor is the only script of its prim.
integer gReading;
integer gStale;
integer gAlone;

integer isSetting(string name, string value)
{
    if (name == "face" && (string)((integer)value) == value) gFace = (integer)value;
    else if (name != "product") return FALSE;
    else if ((key)value) gChoice = value;
    else return FALSE;
    return TRUE;
}

// Without the permission to give L$ back the vendor takes none, nor without memory for the sale.
integer maySell()
{
    return gReady && gRefusal == "" && (llGetPermissions() & PERMISSION_DEBIT) && llLinksetDataAvailable() > RESERVE;
}

string openText()
{
    if (gOpen == 0) return "";
    return "\nOpen payments: " + (string)gOpen;
}

// The pay button has exactly one price, that of the quote or of the product, or there is none.
showPrice()
{
    integer price = gPrice;
    if (gQuote != "" && gToPay > 0) price = gToPay;
    if (price == 0 || !maySell()) price = PAY_HIDE;
    llSetPayPrice(PAY_HIDE, [price, PAY_HIDE, PAY_HIDE, PAY_HIDE]);
    if (!gReady) return;
    string text = "L$ " + (string)gPrice;
    if (gRefusal != "") text = sentence(gRefusal);
    show(gName + "\n" + text + openText());
}

askDebit()
{
    llOwnerSay("Vendor: please allow it to give L$ back. It gives no buyer more than that buyer paid.");
    llRequestPermissions(llGetOwner(), PERMISSION_DEBIT);
}

endSession()
{
    gBuyer = NULL_KEY;
    gQuote = "";
    gQuoteRequest = NULL_KEY;
    gMenu = "";
    showPrice();
}

// The avatar wears the tag of the vendor's group. The null key is in the group of an object that is set to none.
integer isInGroup(key avatar)
{
    return llSameGroup(avatar) && !llSameGroup(NULL_KEY);
}

string flag(string name, integer isTrue)
{
    if (isTrue) return ",\"" + name + "\":true";
    return "";
}

// The fields that a quote and its sale share.
string terms(string product, key buyer, string recipient, integer useCredit)
{
    return "\"productId\":" + quoted(product) + ",\"buyerIdentifier\":" + quoted((string)buyer)
        + ",\"recipientIdentifier\":" + quoted(recipient) + flag("useCredit", useCredit) + flag("inGroup", isInGroup(buyer))
        + ",\"vendorUuid\":" + quoted((string)llGetKey());
}

askQuote(string menu)
{
    gMenu = menu;
    gQuoteRequest = call("POST", "/v1/quotes", "{" + terms(gWanted, gBuyer, gRecipient, gUseCredit) + "}", []);
    if (gQuoteRequest == NULL_KEY) dismiss("no-answer");
}

dismiss(string refusal)
{
    llRegionSayTo(gBuyer, 0, sentence(refusal));
    endSession();
}

string sentence(string refusal)
{
    list all = ["closed", "The store is closed.", "banned", "This store does not sell to you or to that avatar.",
        "inactive", "The product is not for sale now.", "sold-out", "The product is sold out.",
        "underpaid", "That is less than the price.", "unknown-resident", "No avatar has that username.",
        "no-answer", "The store does not answer. Please touch it again in a minute.", "no-product", "It has no product yet."];
    integer at = llListFindList(all, [refusal]);
    if (at < 0) return "The price or your credit has changed. Please touch it again.";
    return llList2String(all, at + 1);
}

odd(string what, integer status)
{
    complain("the service answered " + (string)status + " to " + what + ". If this stays, tell the operator.");
}

quoteAnswered(integer status, string refusal, integer total)
{
    if (status != 200 && refusal != "unknown-resident")
    {
        dismiss("no-answer");
        if (isKeyFault(status)) askKey();
        else odd("a quote", status);
        return;
    }
    // The service answers: what waits for it need not wait longer.
    gSaleNext = 0;
    if (refusal != JSON_NULL)
    {
        dismiss(refusal);
        return;
    }
    if (gMenu == "group")
    {
        gQuote = "";
        showMenu();
        return;
    }
    gUntil = llGetUnixTime() + SESSION;
    if (gToPay > 0)
    {
        showPrice();
        llRegionSayTo(gBuyer, 0, "Please pay L$ " + (string)gToPay + " to this object within two minutes.");
    }
    else if (total == 0) sell(gBuyer, 0);
    else
    {
        gMenu = "confirm";
        llDialog(gBuyer, gName + "\nYour store credit pays all of it: L$ " + (string)total + ".", ["Confirm", "Cancel"], gChannel);
    }
}

// A text that the viewer shows as the avatar's name.
string link(string avatar)
{
    return "secondlife:///app/agent/" + avatar + "/about";
}

// In chat to who is here, and to others by instant message.
tell(key avatar, string text)
{
    if (llGetAgentSize(avatar) == ZERO_VECTOR) llInstantMessage(avatar, text);
    else llRegionSayTo(avatar, 0, text);
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

drop(string entry)
{
    if (llLinksetDataDeleteProtected(entry, gPass) == LINKSETDATA_OK) --gOpen;
}

// True for a prim of this object.
integer isHere(string prim)
{
    integer prims = llGetNumberOfPrims();
    if (prims == 1) return prim == (string)llGetKey();
    while (prims > 0 && (string)llGetLinkKey(prims) != prim) --prims;
    return prims > 0;
}

// Counts what is open.
count()
{
    gOpen = 0;
    integer at = llLinksetDataCountFound("^" + mine());
    while (at > 0)
    {
        --at;
        if (kept(llList2String(llLinksetDataFindKeys("^" + mine(), at, 1), 0)) != "") ++gOpen;
    }
}

// Entries with this vendor's name, or that of a prim which is gone, but another's pass. It neither pays nor deletes that.
integer unread()
{
    return llLinksetDataCountFound("^" + mine()) - gOpen + gStrange;
}

// The next entry at one of these stages behind that place, and once around. gPlace is the place behind it then.
string nextEntry(string stages, integer place)
{
    integer count = llLinksetDataCountFound("^" + mine());
    integer looked;
    gPlace = place;
    while (looked < count && looked < LOOK)
    {
        if (gPlace >= count) gPlace = 0;
        string entry = llList2String(llLinksetDataFindKeys("^" + mine(), gPlace, 1), 0);
        string stage = llGetSubString(kept(entry), 0, 0);
        ++gPlace;
        ++looked;
        if (stage != "" && llSubStringIndex(stages, stage) >= 0) return entry;
    }
    return "";
}

// Nobody knows whether the L$ arrived, or it is not for this vendor to pay them. Paying twice would be as wrong as never.
tellOwner(string entry, string owed, string why)
{
    llInstantMessage(llGetOwner(), "Vendor: a payment of L$ " + llGetSubString(owed, 36, -1) + " to "
        + link(llGetSubString(owed, 0, 35)) + " is open: " + why + ". Pay it if it is not in your transactions. Sale "
        + llGetSubString(entry, SALE, SALE + 35));
}

doubt(string why)
{
    string owed = llDeleteSubString(kept(gPayment), 0, 0);
    if (owed != "") tellOwner(gPayment, owed, why);
    drop(gPayment);
    gPayment = "";
    gTransaction = NULL_KEY;
}

// Another prim's entries came with a copy of the object, or with one that was taken and rezzed. The original may pay what it
// owes, so this vendor pays nothing of it. The sale is sent again: the service makes one of both.
adopt()
{
    integer i;
    for (i = 0; i < BATCH; ++i)
    {
        string entry = llList2String(llLinksetDataFindKeys("^" + OPEN, gOther, 1), 0);
        ++gOther;
        if (entry == "")
        {
            gOther = 0;
            gStrange = gStranger;
            gStranger = 0;
            return;
        }
        string value = kept(entry);
        integer isStrange = !isHere(llGetSubString(entry, PRIM, PRIM + 35));
        if (isStrange && value == "") ++gStranger;
        else if (isStrange)
        {
            string stage = llGetSubString(value, 0, 0);
            integer isDone = TRUE;
            value = llDeleteSubString(value, 0, 0);
            if (stage == "S" || stage == "X")
            {
                isDone = keep(mine() + llGetSubString(entry, SALE, -1), "X" + value);
                if (isDone) ++gOpen;
            }
            else tellOwner(entry, value, COPIED);
            if (isDone) llLinksetDataDeleteProtected(entry, gPass);
        }
    }
}

// The pass of what is open is the key's, so another key comes into force in two steps, of which each may be the last
// before a crash: the former pass is noted under the new one, and each entry is written anew before the vendor works.
string formerName()
{
    return markOf(gPass) + ":former";
}

// Each pass has a mark. Nothing but a reset of the whole memory takes it away.
string markOf(string pass)
{
    return MARK + (string)llGetKey() + ":" + llGetSubString(pass, 0, 7);
}

takeOver()
{
    string former = llDeleteSubString(kept(formerName()), 0, 0);
    if (former == "") return;
    integer isChanged = TRUE;
    integer left;
    while (isChanged)
    {
        isChanged = FALSE;
        left = 0;
        integer at = llLinksetDataCountFound("^" + OPEN);
        while (at > 0)
        {
            --at;
            string entry = llList2String(llLinksetDataFindKeys("^" + OPEN, at, 1), 0);
            string prim = llGetSubString(entry, PRIM, PRIM + 35);
            string value = opened(entry, former);
            if (value != "" && (prim == (string)llGetKey() || !isHere(prim)))
            {
                // A name with a pass keeps it, so the entry gets another name.
                if (keep(entry + "+", value))
                {
                    llLinksetDataDeleteProtected(entry, former);
                    isChanged = TRUE;
                }
                else ++left;
            }
        }
    }
    if (left > 0) return;
    llLinksetDataDeleteProtected(markOf(former), former);
    llLinksetDataDeleteProtected(formerName(), gPass);
}

// Tells of open payments that another script has erased, before it counts those that are left.
tellErased()
{
    if (gPass == "" || kept(markOf(gPass)) != "") return;
    if (gOpen > 0) complain("another script has erased its memory, with " + (string)gOpen + " open payments.");
    keep(markOf(gPass), "1");
    count();
}

// Reads another notecard without a reset, which would take the permission away. Payments are kept meanwhile.
startOver()
{
    gStale = FALSE;
    tellErased();
    gReading = TRUE;
    gReady = FALSE;
    gRegistration = NULL_KEY;
    gKeyCheck = NULL_KEY;
    gLine = 0;
    gService = "";
    gKey = "";
    gHover = "";
    gChoice = "";
    gPicked = TRUE;
    gFace = ALL_SIDES;
    endSession();
    openNotecard();
}

// Keeps the sale before it is sent, so that no payment is lost.
sell(key buyer, integer paid)
{
    string id = (string)llGenerateKey();
    string body = "S{\"id\":" + quoted(id) + ",\"paid\":" + (string)paid + ",";
    if (buyer == gBuyer && gQuote != "" && llGetUnixTime() <= gUntil)
        body += terms(gWanted, buyer, gRecipient, gUseCredit) + ",\"quote\":" + quoted(gQuote) + "}";
    else body += terms(gProduct, buyer, (string)buyer, FALSE) + "}";
    if (buyer == gBuyer) endSession();
    if (!keep(mine() + id, body))
    {
        llInstantMessage(llGetOwner(), "Vendor: its memory is full. It pays L$ " + (string)paid + " back to " + link(buyer) + ".");
        if (paid > 0) llTransferLindenDollars(buyer, paid);
        return;
    }
    ++gOpen;
    body = "";
    settle();
}

// Takes the next step of what is open: sends one sale, and gives back one sum.
settle()
{
    integer now = llGetUnixTime();
    if (gPass == "" || gService == "" || gReading) return;
    if (gTransaction != NULL_KEY && now - gPayAt > PATIENCE) doubt("nobody said how it ended");
    if (gStale && gTransaction == NULL_KEY)
    {
        startOver();
        return;
    }
    tellErased();
    if (unread() > gUnread)
    {
        gUnread = unread();
        complain("it cannot read some of its memory (" + (string)gUnread + "): another key, owner or script wrote it.");
    }
    // A sale that fails keeps no other waiting: the next try begins behind it.
    if (now >= gSaleNext && (gSaleRequest == NULL_KEY || now - gSaleAt > PATIENCE))
    {
        gSale = nextEntry("SX", gSalePlace);
        gSalePlace = gPlace;
        gSaleRequest = NULL_KEY;
        gSaleAt = now;
        if (gSale != "") gSaleRequest = call("POST", "/v1/sales", llDeleteSubString(kept(gSale), 0, 0), []);
    }
    if (now >= gPayNext && gTransaction == NULL_KEY)
    {
        string stages = "P";
        if (llGetPermissions() & PERMISSION_DEBIT) stages = "PO";
        gPayment = nextEntry(stages, gPayPlace);
        gPayPlace = gPlace;
        string owed = kept(gPayment);
        string stage = llGetSubString(owed, 0, 0);
        owed = llDeleteSubString(owed, 0, 0);
        if (stage == "P") doubt("it was under way when the region stopped");
        else if (stage == "O")
        {
            if (keep(gPayment, "P" + owed))
            {
                gPayAt = now;
                gTransaction = llTransferLindenDollars((key)llGetSubString(owed, 0, 35), (integer)llGetSubString(owed, 36, -1));
            }
        }
    }
    adopt();
    if (gBuyer == NULL_KEY) showPrice();
    integer pause = gNext - now;
    if (pause > REFRESH) pause = REFRESH;
    if (pause > TICK && (gOpen > 0 || gOther > 0 || gBuyer != NULL_KEY || gChangesAt != "")) pause = TICK;
    if (pause < QUIET) pause = QUIET;
    llSetTimerEvent(pause);
}

// Each failure doubles the pause, so that a service in trouble has time.
integer longer(integer pause)
{
    pause = 2 * pause + 20;
    if (pause > LONGEST_PAUSE) return LONGEST_PAUSE;
    return pause;
}

// A text that is passed on takes its memory twice: so this gets the fields of the answer that it needs, and not all of it.
saleAnswered(integer status, string result, string refusal, integer change)
{
    string asked = kept(gSale);
    string stage = llGetSubString(asked, 0, 0);
    gSaleRequest = NULL_KEY;
    if (stage != "S" && stage != "X") return;
    asked = llDeleteSubString(asked, 0, 0);
    string buyer = llJsonGetValue(asked, ["buyerIdentifier"]);
    integer paid = (integer)llJsonGetValue(asked, ["paid"]);
    asked = "";
    string text = "Thank you! It is on its way.";
    if (status == 400 || status == 422)
    {
        complain("the service refused a sale: " + refusal + " Tell the operator.");
        text = "The store refused the sale. Please tell its owner.";
        change = paid;
    }
    else if (status != 201 || result == JSON_INVALID)
    {
        odd("a sale. It is kept and sent again", status);
        gSalePause = longer(gSalePause);
        // Many vendors that fail together do not come back together.
        gSaleNext = llGetUnixTime() + gSalePause + (integer)llFrand(0.2 * gSalePause);
        if (isKeyFault(status)) askKey();
        return;
    }
    else
    {
        gTold = [];
        if (change > paid)
        {
            complain("the service wants L$ " + (string)change + " given back of L$ " + (string)paid + ". Tell the operator.");
            change = paid;
        }
        if (result == "refused")
        {
            text = sentence(refusal);
            lookSoon();
        }
    }
    gSalePause = 0;
    if (change > 0 && stage == "X") tellOwner(gSale, buyer + (string)change, COPIED);
    if (change > 0 && stage == "S")
    {
        text += " L$ " + (string)change + " of it will come back to you.";
        keep(gSale, "O" + buyer + (string)change);
    }
    else drop(gSale);
    tell(buyer, text);
}

// A field of the product in the answer; empty for null, and for one that is not there.
string ofProduct(string name)
{
    string value = llJsonGetValue(gAnswer, ["product", name]);
    if (value == JSON_NULL || value == JSON_INVALID) return "";
    return value;
}

// Says where it is, and asks what it sells.
register()
{
    if (gReading || gService == "") return;
    string body = "{\"name\":" + quoted(llGetObjectName()) + ",\"region\":" + quoted(llGetRegionName())
        + ",\"position\":" + quoted((string)llGetPos()) + ",\"script\":\"Vendor " + VERSION + "\"";
    if (gUrl != "") body += ",\"url\":" + quoted(gUrl);
    if (gChoice != "") body += ",\"productId\":" + quoted(gChoice);
    gRegistration = call("PUT", "/v1/vendors/" + (string)llGetKey(), body + flag("picked", gPicked) + "}", []);
}

// Registers once it has an address, where the region has more than it leaves to others.
connect()
{
    if (gUrl == "" && llGetFreeURLs() > 10) llRequestSecureURL();
    else register();
}

// Asks what it sells, after its key if it is not ready. A new address mends one that died.
look(integer hasNewUrl)
{
    if (gReading || gService == "") return;
    gLookedAt = llGetUnixTime();
    // Many vendors that fail together do not come back together.
    gNext = gLookedAt + RETRY + (integer)llFrand(20.0);
    gChangesAt = "";
    if (hasNewUrl)
    {
        llReleaseURL(gUrl);
        gUrl = "";
    }
    if (gReady) connect();
    else askKey();
}

// Something has changed. An answer under way may be older: it counts, since calls without end would else keep each one
// away, and is asked for again.
lookSoon()
{
    gNext = 0;
    if (llGetUnixTime() - gLookedAt >= QUIET) look(FALSE);
    else llSetTimerEvent(QUIET);
}

// Somebody touched it: at a moment when another avatar did too, perhaps.
touched(key who, integer now)
{
    // A menu takes the script a second, in which payments wait: nobody gets one after another.
    if (who == gBuyer && now - gTouchedAt < 3) return;
    gTouchedAt = now;
    integer isOwner = who == llGetOwner();
    if (isOwner) report((string)gOpen + " payments are open, and it cannot read " + (string)unread() + ".");
    if (isOwner || (!maySell() && now - gLookedAt >= RETRY)) look(isOwner);
    if (isOwner && !(llGetPermissions() & PERMISSION_DEBIT) && gService != "") askDebit();
    else if (gReady && gRefusal != "") llRegionSayTo(who, 0, sentence(gRefusal));
    else if (!maySell()) llRegionSayTo(who, 0, "It is not ready. Please tell its owner.");
    else
    {
        integer isTaken = gBuyer != NULL_KEY && gBuyer != who && now <= gUntil;
        if (isTaken) gRefused = now;
        if (isTaken || (who == gLast && now - gRefused < OTHERS))
            llRegionSayTo(who, 0, "Somebody else is choosing. Please touch it again in a minute.");
        else
        {
            endSession();
            llListenRemove(gListen);
            gBuyer = who;
            gLast = who;
            gUntil = now + MENU;
            gWanted = gProduct;
            gRecipient = (string)who;
            gUseCredit = FALSE;
            gToPay = gPrice;
            gChannel = (integer)("0x" + llGetSubString((string)llGenerateKey(), 0, 6)) | 0x80000000;
            gListen = llListen(gChannel, "", who, "");
            llSetTimerEvent(TICK);
            if (isInGroup(who)) askQuote("group");
            else showMenu();
        }
    }
}

// One who wears the group's tag sees their own price too.
showMenu()
{
    gMenu = "menu";
    list buttons = ["Buy", "Gift", "Use credit"];
    if (gDemo != "") buttons += "Demo";
    string text = gName + "\nL$ " + (string)gPrice;
    if (gToPay < gPrice) text += "\nYour price: L$ " + (string)gToPay;
    llDialog(gBuyer, text + "\nBuy it, or give it to somebody.", buttons + "Cancel", gChannel);
}

default
{
    state_entry()
    {
        showPrice();
        gAlone = llGetInventoryNumber(INVENTORY_SCRIPT) == 1;
        gReading = gAlone;
        if (gAlone) openNotecard();
        else stop("there is another script in this prim, which could read the key. Take it out.");
    }

    on_rez(integer start)
    {
        llResetScript();
    }

    dataserver(key query, string line)
    {
        if (query != gLineQuery) return;
        integer isComplete = isRead(line);
        if (!isComplete && line != EOF) return;
        gReading = FALSE;
        if (!isComplete) return;
        string former = gPass;
        gOwner = llGetOwner();
        gPass = llHMAC(gKey, (string)gOwner, "sha256");
        if (former != "" && former != gPass) keep(formerName(), "F" + former);
        takeOver();
        keep(markOf(gPass), "1");
        count();
        gSaleRequest = NULL_KEY;
        gSaleNext = 0;
        if (!(llGetPermissions() & PERMISSION_DEBIT)) askDebit();
        look(TRUE);
        settle();
    }

    run_time_permissions(integer permissions)
    {
        if (!(permissions & PERMISSION_DEBIT)) complain("without the permission to give L$ back it sells nothing. Touch it to be asked again.");
        showPrice();
        settle();
    }

    touch_start(integer count)
    {
        integer now = llGetUnixTime();
        integer i;
        for (i = 0; i < count; ++i) touched(llDetectedKey(i), now);
    }

    listen(integer channel, string name, key id, string text)
    {
        integer now = llGetUnixTime();
        if (id != gBuyer || now > gUntil)
        {
            llRegionSayTo(id, 0, "This menu is over. Please touch it again.");
            return;
        }
        if (gQuote == "") gUntil = now + OTHERS;
        if (gMenu == "confirm" && text == "Confirm") sell(id, 0);
        else if (gMenu == "name")
        {
            gRecipient = llReplaceSubString(llToLower(llStringTrim(text, STRING_TRIM)), " ", ".", 0);
            askQuote("");
        }
        else if (gMenu != "menu" || text == "Cancel") endSession();
        else if (text == "Gift")
        {
            gMenu = "name";
            llTextBox(id, "The username of the avatar:", gChannel);
        }
        else
        {
            gUseCredit = text == "Use credit";
            if (text == "Demo") gWanted = gDemo;
            askQuote("");
        }
    }

    money(key buyer, integer amount)
    {
        // A payment may overtake the news of another owner, who could not read what this one keeps.
        if (gPass != "" && (gReading || gService != "") && gOwner == llGetOwner()) sell(buyer, amount);
        else llInstantMessage(llGetOwner(), "Vendor: L$ " + (string)amount + " from " + link(buyer)
            + " came while it could sell nothing: give them back.");
    }

    http_request(key id, string method, string body)
    {
        if (method == URL_REQUEST_GRANTED)
        {
            llReleaseURL(gUrl);
            gUrl = body;
        }
        else if (method != URL_REQUEST_DENIED)
        {
            // Anybody may call. The call is trusted with nothing but to ask the service.
            llHTTPResponse(id, 200, "");
            lookSoon();
            return;
        }
        register();
    }

    http_response(key request, integer status, list metadata, string body)
    {
        if (request == NULL_KEY) return;
        if (request == gRegistration)
        {
            gRegistration = NULL_KEY;
            if (isKeyFault(status)) askKey();
            else if (status == 200 && llJsonValueType(body, ["uuid"]) == JSON_STRING)
            {
                gAnswer = body;
                body = "";
                string product = ofProduct("id");
                // A menu does not outlive its product, but a quote stays good for two minutes.
                if (gBuyer != NULL_KEY && gQuote == "" && product != gProduct) dismiss("");
                gProduct = product;
                gName = llGetSubString(ofProduct("name"), 0, NAME - 1);
                gPrice = (integer)ofProduct("activePrice");
                gDemo = ofProduct("demoId");
                gChangesAt = ofProduct("changesAt");
                gRefusal = "";
                if (product == "")
                {
                    gName = TITLE;
                    gRefusal = "no-product";
                }
                if (ofProduct("soldOut") == JSON_TRUE) gRefusal = "sold-out";
                if (ofProduct("active") == JSON_FALSE) gRefusal = "inactive";
                key image = ofProduct("image");
                gAnswer = "";
                if (image) llSetTexture(image, gFace);
                gPicked = FALSE;
                if (gNext)
                {
                    gNext = gLookedAt + DAY;
                    if (gUrl == "") gNext = gLookedAt + REFRESH;
                }
                if (!gReady) gTold = [];
                gReady = TRUE;
                showPrice();
            }
            else if (status != 429) odd("a registration", status);
        }
        else if (request == gSaleRequest)
        {
            string refusal = llJsonGetValue(body, ["refusal"]);
            if (status != 201) refusal = llJsonGetValue(body, ["detail"]);
            string result = llJsonGetValue(body, ["state"]);
            integer change = (integer)llJsonGetValue(body, ["change"]);
            body = "";
            saleAnswered(status, result, refusal, change);
        }
        else if (request == gQuoteRequest)
        {
            string refusal = llJsonGetValue(body, ["refusal"]);
            // A name is all that a buyer writes, and so all that may be wrong in the form of a quote.
            if (status == 400) refusal = "unknown-resident";
            integer total = (integer)llJsonGetValue(body, ["total"]);
            gQuoteRequest = NULL_KEY;
            gToPay = (integer)llJsonGetValue(body, ["toPay"]);
            gQuote = llJsonGetValue(body, ["quote"]);
            body = "";
            quoteAnswered(status, refusal, total);
        }
        else if (request == gKeyCheck)
        {
            string fault = keyFault(status, body);
            if (fault == "") connect();
            else
            {
                gReady = FALSE;
                gNext = llGetUnixTime() + RETRY;
                stop(fault);
                show(gStatus + openText());
                showPrice();
            }
        }
        body = "";
        settle();
    }

    transaction_result(key id, integer success, string data)
    {
        if (id != gTransaction) return;
        string owed = llDeleteSubString(kept(gPayment), 0, 0);
        if (success)
        {
            drop(gPayment);
            gPayPause = 0;
            if (owed != "") tell((key)llGetSubString(owed, 0, 35), "You got L$ " + llGetSubString(owed, 36, -1) + " back.");
        }
        // After these the L$ have surely not moved, and another try may succeed.
        else if (data != "" && llSubStringIndex("LINDENDOLLAR_INSUFFICIENTFUNDS THROTTLED MISSING_PERMISSION_DEBIT TRANSFERS_DISABLED", data) >= 0)
        {
            if (owed != "") keep(gPayment, "O" + owed);
            gPayPause = longer(gPayPause);
            gPayNext = llGetUnixTime() + gPayPause;
            complain("L$ could not be given back: " + data + ". See that your account has enough. It is tried again.");
        }
        else doubt(data);
        gPayment = "";
        gTransaction = NULL_KEY;
        settle();
    }

    timer()
    {
        integer now = llGetUnixTime();
        if (gBuyer != NULL_KEY && now > gUntil)
        {
            if (gQuoteRequest != NULL_KEY) dismiss("no-answer");
            else endSession();
        }
        // Times in UTC that begin with the year are in the order of their letters.
        integer isDue = gChangesAt != "" && llList2String(llListSort([gChangesAt, llGetTimestamp()], 1, TRUE), 0) == gChangesAt;
        // After a day it takes a new address, since one may die without a word.
        if (isDue || now >= gNext) look(now - gLookedAt > REFRESH);
        settle();
    }

    changed(integer change)
    {
        if (change & CHANGED_OWNER || (llGetInventoryNumber(INVENTORY_SCRIPT) == 1) != gAlone) llResetScript();
        if (gAlone && isOtherNotecard(change))
        {
            // Nobody could tell how a payment ended that is under way.
            gStale = TRUE;
            if (gTransaction == NULL_KEY) startOver();
        }
        if (change & CHANGED_REGION_START)
        {
            // The line of the notecard that it waited for never comes.
            if (gReading)
            {
                gLine = 0;
                openNotecard();
            }
            // A request that was under way is never answered. A sale is sent again once its time is over.
            gTransaction = NULL_KEY;
            gPayment = "";
            endSession();
            settle();
        }
        // The address has ended with the region.
        if (change & (CHANGED_REGION_START | CHANGED_REGION)) look(TRUE);
    }
}
